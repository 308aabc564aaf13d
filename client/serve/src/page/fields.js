// Forms for the arguments of SQL functions, and the arguments that the state of a view gives.
import { refresh } from './api.js'
import { button, element } from './dom.js'
import { formatState } from './state.js'

const LIMIT = { type: 'number', min: 0, max: 1_000_000, step: 1 }

// Each field: its label, its input, the value that a new view has, and the argument of SQL that has it as a key.
const FIELDS = {
  query: { label: 'Question or words', type: 'search', initial: '' },
  strategy: {
    label: 'Strategy',
    options: (store) => store.strategies.map((strategy) => [strategy.name, strategy.name]),
    none: 'default of the server',
  },
  max_tokens: { label: 'Token budget', ...LIMIT, initial: '2000' },
  max_passages: { label: 'Passages', ...LIMIT, min: 1, max: 100, initial: '5' },
  max_hits: { label: 'Hits', ...LIMIT, min: 1, max: 100, initial: '5' },
  mode: {
    group: 'ranking',
    label: 'Search by',
    options: () => [
      ['hybrid', 'meaning and words'],
      ['vector', 'meaning'],
      ['text', 'words'],
    ],
    none: 'what the store allows',
  },
  feedback: { group: 'ranking', label: 'Weight of ratings', type: 'number', min: 0, max: 1, step: 'any' },
  rerank: { label: 'Order of the hits', options: () => [['off', 'that of the search']], none: 'that of the rerank model' },
  collection: { label: 'Collection', options: (_, collections) => collections.map((name) => [name, name]), none: 'all' },
  version: { group: 'filter', label: 'Version', type: 'text' },
  uri_pattern: { group: 'filter', label: 'URI pattern', type: 'text', placeholder: 'docs/%' },
  media_type: { group: 'filter', label: 'Media type', type: 'text', placeholder: 'text/*' },
  kind: { group: 'filter', label: 'Kind', options: () => ['prose', 'code', 'data', 'api-reference'].map((one) => [one, one]), none: 'all' },
  path: { group: 'filter', label: 'Section path', type: 'text', placeholder: 'logging.*' },
  min_similarity: { group: 'filter', label: 'Least similarity', type: 'number', min: -1, max: 1, step: 'any' },
  max_chunks: { group: 'limits', label: 'Chunks', ...LIMIT },
  max_distance: { group: 'output', label: 'Distance of hits', ...LIMIT },
  include_orphaned: { group: 'filter', label: 'Orphaned documents', type: 'checkbox' },
  imports: { group: 'output', label: 'Add imports', type: 'checkbox' },
  chunk: { label: 'Id of the chunk', type: 'text', initial: '' },
  chunks: { label: 'Ids of chunks', type: 'text', initial: '' },
  parents: { group: 'limits', label: 'Parents', ...LIMIT },
  preceding: { group: 'limits', label: 'Preceding', ...LIMIT },
  following: { group: 'limits', label: 'Following', ...LIMIT },
  children: { group: 'limits', label: 'Children', ...LIMIT },
  before: { group: 'limits', label: 'Before', ...LIMIT },
  after: { group: 'limits', label: 'After', ...LIMIT },
}

// The filters of `search` and `search_hits`.
export const FILTERS = [
  'collection',
  'version',
  'uri_pattern',
  'media_type',
  'kind',
  'path',
  'min_similarity',
  'include_orphaned',
]

// Returns the field of a name such as `max_tokens`, or `a.max_tokens` for one side of a comparison.
function fieldOf(name) {
  return FIELDS[name.replace(/^[ab]\./, '')]
}

// Returns the value of a field in a state: a missing one has its initial value, an empty one has none.
export function valueOf(parameters, name) {
  return (parameters[name] ?? fieldOf(name).initial ?? '').trim()
}

// Returns the named arguments that a state gives.
export function given(parameters, names) {
  const call = {}
  for (const name of names) {
    const text = valueOf(parameters, name)
    if (text === '') continue
    const { type, group } = fieldOf(name)
    const target = group ? (call[group] ??= {}) : call
    target[name.replace(/^[ab]\./, '')] = type === 'number' ? Number(text) : type === 'checkbox' ? true : text
  }
  return call
}

// Returns the label and the input of a field.
function control(name, parameters, { store, collections }) {
  const field = fieldOf(name)
  const id = `field-${name.replace('.', '-')}`
  const value = valueOf(parameters, name)
  if (field.options) {
    const options = field.options(store, collections)
    if (value && !options.some(([option]) => option === value)) options.push([value, value])
    const entry = ([option, label]) => element('option', { value: option, selected: option === value }, label)
    return labelled(field.label, id, element('select', { id, name }, entry(['', field.none]), options.map(entry)))
  }
  const { type, min, max, step, placeholder } = field
  const input = element('input', {
    id,
    name,
    type,
    min,
    max,
    step,
    placeholder,
    autocomplete: 'off',
    spellcheck: 'false',
    value: type === 'checkbox' ? 'true' : value,
  })
  if (type === 'checkbox') input.checked = value !== ''
  return labelled(field.label, id, input, type === 'checkbox')
}

function labelled(text, id, input, inline = false) {
  const label = element('label', { for: id }, text)
  return element('div', { class: inline ? 'field inline' : 'field' }, inline ? [input, label] : [label, input])
}

// Returns a form whose submission shows a view with the values as its state.
//
// `groups` are lists of names; one with a title folds. `main` is the field in the first row, next to the button.
export function form(view, label, main, groups, parameters, lists, kept = {}) {
  const submit = (event) => {
    event.preventDefault()
    refresh(formatState(view, { ...kept, ...valuesOf(event.currentTarget) }))
  }
  const group = ({ title, legend, names }) => {
    const controls = element(
      'div',
      { class: 'fields' },
      names.map((name) => control(name, parameters, lists)),
    )
    if (legend) return element('fieldset', {}, element('legend', {}, legend), controls)
    if (!title) return controls
    const isUsed = names.some((name) => parameters[name] && parameters[name] !== fieldOf(name).initial)
    return element('details', { open: isUsed }, element('summary', {}, title), controls)
  }
  const start = element(
    'div',
    { class: 'start' },
    control(main, parameters, lists),
    button(label, () => {}, { type: 'submit', class: 'primary' }),
  )
  const sides = element('div', { class: 'sides' }, groups.filter((fieldset) => fieldset.legend).map(group))
  const others = groups.filter((fieldset) => !fieldset.legend).map(group)
  return element(
    'form',
    { class: 'arguments', role: main === 'query' ? 'search' : null, submit },
    start,
    sides.firstChild && sides,
    others,
  )
}

function valuesOf(node) {
  const values = {}
  for (const input of node.elements) {
    if (!input.name) continue
    const value = input.type === 'checkbox' ? (input.checked ? 'true' : '') : input.value.trim()
    // An empty value counts only if the field has another one at the beginning.
    if (value !== '' || fieldOf(input.name).initial) values[input.name] = value
  }
  return values
}
