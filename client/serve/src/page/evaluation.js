// The report of `passage eval`: the figures of all configurations, and the questions with the smallest recall.
import { get } from './api.js'
import { button, element } from './dom.js'
import { count, facts, place, sectionText } from './format.js'
import { panel } from './passage.js'
import { formatState } from './state.js'

const SHOWN_QUESTIONS = 10
const SHOWN_PASSAGES = 5
const FIGURES = [
  ['Found', 'found'],
  ['Recall', 'recall'],
  ['Complete', 'complete'],
  ['MRR', 'reciprocal_rank'],
]

export function evaluationView(parameters, context) {
  const box = element('div', { class: 'results' })
  context.load(box, () => evaluation(parameters, context))
  return element('div', {}, element('h1', { tabindex: -1 }, 'Evaluation'), box)
}

async function evaluation(parameters, { store, report }) {
  const saved = await get('evaluation')
  const chosen = choice(saved, parameters)
  report(`${count(saved.questions.length, 'question')}, ${count(saved.configurations.length, 'configuration')}`)
  const stores = [...new Set(saved.configurations.map((one) => one.store))]
  const isOwn = (configuration) => configuration.store === store.store
  return [
    facts(
      count(saved.questions.length, 'question'),
      `${stores.length === 1 ? 'store' : 'stores'} ${stores.join(', ')}`,
      `passage ${saved.version}`,
    ),
    stores.some((name) => name !== store.store) &&
      element(
        'p',
        { class: 'message' },
        `This server reads the store ${store.store}. Passages of other stores are not linked.`,
      ),
    panel(
      'Figures',
      `Means over the questions. Differences are those of the recall from ${saved.configurations[0].name}, each with its 95 % interval; * marks those that are more than chance.`,
      saved.budgets.map((budget) => figuresTable(saved, budget)),
    ),
    panel('Worst questions', 'Those with the smallest recall first.', choices(saved, chosen), worst(saved, chosen, isOwn)),
    saved.errors.length ? panel('Questions without a result', 'They count in no figure.', errorsList(saved)) : null,
  ]
}

// Returns the chosen configuration and budget. By default they are those of the highest recall at the largest budget.
function choice(saved, parameters) {
  const budgets = saved.budgets.map(Number)
  const named = Number(parameters.budget)
  const budget = budgets.includes(named) ? named : budgets.at(-1)
  const rows = saved.summary.filter((row) => row.budget === budget)
  const better = (a, b) => b.recall - a.recall || b.reciprocal_rank - a.reciprocal_rank
  const given = rows.find((row) => String(row.configuration) === parameters.configuration)
  return { budget, configuration: (given ?? [...rows].sort(better)[0])?.configuration ?? 0 }
}

function figuresTable(saved, budget) {
  const row = (summary) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, saved.configurations[summary.configuration].name),
      FIGURES.map(([, key]) => element('td', { class: 'number' }, summary[key].toFixed(3))),
      element('td', { class: 'number' }, Math.round(summary.tokens).toLocaleString('en')),
      element('td', { class: 'number' }, String(summary.questions)),
      element('td', {}, summary.difference ? difference(summary.difference.recall) : '–'),
    )
  const head = [
    ['Configuration'],
    ...FIGURES.map(([title]) => [title, 'number']),
    ['Tokens', 'number'],
    ['Questions', 'number'],
    ['Recall, difference'],
  ]
  const title = `${count(budget, 'token')}`
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Figures at ${title}` },
    element(
      'table',
      { class: 'figures' },
      element('caption', {}, title),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          head.map(([name, kind]) => element('th', { scope: 'col', class: kind ?? null }, name)),
        ),
      ),
      element('tbody', {}, saved.summary.filter((summary) => summary.budget === budget).map(row)),
    ),
  )
}

function difference({ mean, low, high }) {
  const signed = (value) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`
  if ([mean, low, high].every((value) => value === 0)) return 'same'
  return `${signed(mean)} (${signed(low)} to ${signed(high)})${low > 0 || high < 0 ? ' *' : ''}`
}

// Returns the inputs for the configuration and the budget of the questions.
function choices(saved, chosen) {
  const select = (name, label, options) => {
    const change = (event) => (location.hash = formatState('evaluation', { ...chosen, [name]: event.target.value }))
    const entry = ([value, text]) => element('option', { value, selected: value === chosen[name] }, text)
    const id = `evaluation-${name}`
    return element(
      'div',
      { class: 'field' },
      element('label', { for: id }, label),
      element('select', { id, change }, options.map(entry)),
    )
  }
  return element(
    'div',
    { class: 'fields' },
    select(
      'configuration',
      'Configuration',
      saved.configurations.map((one, index) => [index, one.name]),
    ),
    select(
      'budget',
      'Token budget',
      saved.budgets.map((budget) => [budget, budget.toLocaleString('en')]),
    ),
  )
}

function worst(saved, { configuration, budget }, isOwn) {
  const results = saved.results.filter((one) => one.configuration === configuration && one.budget === budget)
  results.sort((a, b) => a.recall - b.recall || a.found - b.found || a.reciprocal_rank - b.reciprocal_rank)
  const left = results.filter((one) => one.recall < 1)
  if (!left.length) return element('p', {}, 'All questions are answered completely.')
  const own = isOwn(saved.configurations[configuration])
  const card = (result) => questionCard(saved, result, own)
  const list = element('ol', { class: 'cards' }, left.slice(0, SHOWN_QUESTIONS).map(card))
  const rest = left.slice(SHOWN_QUESTIONS)
  if (!rest.length) return list
  const more = button(`Show ${count(rest.length, 'more question')}`, () => (list.append(...rest.map(card)), more.remove()))
  return element('div', { class: 'results' }, list, more)
}

function questionCard(saved, result, isOwn) {
  const question = saved.questions[result.question]
  const configuration = saved.configurations[result.configuration]
  const search = { query: question.query, mode: configuration.mode, strategy: configuration.strategy ?? '' }
  const href = formatState('search', { ...search, max_tokens: result.budget, max_passages: 100 })
  const shown = result.passages.slice(0, SHOWN_PASSAGES)
  const more = result.passages.length - shown.length
  return element(
    'li',
    { class: 'card' },
    element(
      'div',
      { class: 'card-head' },
      element('span', { class: 'rank' }, result.recall.toFixed(3)),
      element(
        'div',
        {},
        element('h3', {}, isOwn ? element('a', { href }, question.query) : question.query),
        facts(question.name, `found ${result.found.toFixed(2)}`, count(result.tokens, 'token')),
      ),
    ),
    element('h4', {}, 'Wanted'),
    element(
      'ul',
      { class: 'wanted' },
      question.wanted.map((wanted) => wantedItem(wanted, isOwn)),
    ),
    element('h4', {}, 'Came'),
    shown.length
      ? element(
          'ul',
          { class: 'came' },
          shown.map((passage) => cameItem(passage, isOwn)),
        )
      : element('p', { class: 'note' }, 'Nothing.'),
    more > 0 ? element('p', { class: 'note' }, `and ${count(more, 'more passage')}`) : null,
  )
}

// Returns a wanted item. Its document is found by its uri when the reader opens it.
function wantedItem(wanted, isOwn) {
  const [first_line, last_line] = wanted.lines ?? []
  const name = place({ uri: wanted.uri ?? 'any document', first_line, last_line })
  const closed = (reason) => link.replaceWith(element('span', { class: 'uri' }, `${name}: ${reason}`))
  const open = async () => {
    const { uri, collection, version } = wanted
    try {
      const { results } = await get('documents', { uri, collection, version, limit: 1 })
      if (results.length) location.hash = formatState('document', { id: results[0].id })
      else closed('no such document')
    } catch (error) {
      closed(error.message)
    }
  }
  const link = isOwn && wanted.uri ? button(name, open, { class: 'link uri' }) : element('span', { class: 'uri' }, name)
  return element(
    'li',
    {},
    link,
    wanted.section ? element('span', { class: 'note' }, ` ${sectionText(wanted.section)}`) : null,
    wanted.text ? element('pre', { class: 'prompt' }, wanted.text) : null,
  )
}

function cameItem(passage, isOwn) {
  const parts = passage.lines ?? []
  const text = parts.length > 1 ? `${passage.uri}:${parts.map((lines) => lines.join('-')).join(', ')}` : place(passage)
  const [hit] = passage.hit_ids
  const link =
    isOwn && hit
      ? element('a', { class: 'uri', href: formatState('context', { chunk: hit }) }, text)
      : element('span', { class: 'uri' }, text)
  return element(
    'li',
    {},
    link,
    element('span', { class: 'note' }, ` ${sectionText(passage.section)}`),
    passage.wanted ? element('b', {}, ' has a part of the answer') : null,
  )
}

function errorsList(saved) {
  const item = (error) =>
    element(
      'li',
      {},
      element('b', {}, saved.questions[error.question].query),
      element('span', { class: 'note' }, ` ${saved.configurations[error.configuration].name}`),
      element('p', {}, error.message),
      element('span', { class: 'hint' }, error.hint),
    )
  return element('ul', { class: 'errors' }, saved.errors.map(item))
}
