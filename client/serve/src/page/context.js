// The context of one chunk, as `passage context` shows it.
import { post } from './api.js'
import { copyButton, element } from './dom.js'
import { form, given, valueOf } from './fields.js'
import { count } from './format.js'
import { passageView } from './passage.js'
import { chunkActions, documentOf, notesOf } from './document_data.js'
import { sqlCopies } from './sql_copies.js'
import { formatState } from './state.js'

const NUMBERS = ['parents', 'preceding', 'following', 'children', 'before', 'after']
const ARGUMENTS = ['strategy', 'max_tokens', 'max_chunks', ...NUMBERS]
const GROUPS = [{ names: ['strategy', 'max_tokens', 'max_chunks'] }, { title: 'Limits of the strategy', names: NUMBERS }]

export function contextView(parameters, context) {
  const box = element('div', {})
  const chunk = valueOf(parameters, 'chunk')
  if (chunk) context.load(box, () => passageOf(chunk, parameters, context))
  else
    box.append(
      element('h1', { tabindex: -1 }, 'Context of a chunk'),
      element('p', { class: 'note' }, 'Enter the id of a chunk, or choose one in a search or a document.'),
    )
  return element('div', {}, form('context', 'Show context', 'chunk', GROUPS, parameters, context.lists), box)
}

async function passageOf(chunk, parameters, { store, report }) {
  const call = { chunk_ids: [chunk], ...given(parameters, ARGUMENTS) }
  const [found, explained] = await Promise.all([post('reassemble', call), post('explain', call)])
  const [passage] = found.results
  if (!passage) return element('p', { class: 'message' }, 'No chunk has this id.')
  const [outline, chunks] = await documentOf(passage.document_id, [chunk])
  const stored = { ...call, store: store.store }
  const compared = {
    chunks: chunk,
    'a.strategy': valueOf(parameters, 'strategy'),
    'a.max_tokens': valueOf(parameters, 'max_tokens'),
    'b.strategy': 'section',
    'b.max_tokens': valueOf(parameters, 'max_tokens'),
  }
  const controls = [
    ...sqlCopies('reassemble', stored),
    copyButton('Copy link', () => location.href),
    copyButton('Copy text', () => passage.content),
    element('a', { class: 'button', href: formatState('compare', compared) }, 'Compare strategies'),
    element('a', { class: 'button', href: formatState('document', { id: passage.document_id }) }, 'Whole document'),
  ]
  report(`Context of a chunk, ${count(passage.tokens, 'token')}`)
  const view = { passage, explain: explained.results, outline, chunks, budget: call.max_tokens || null, call: stored }
  return [notesOf([...found.notes, ...explained.notes]), passageView(view, controls, chunkActions)]
}
