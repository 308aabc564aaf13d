// The search: hits, the passages as they go into a prompt, and the view of one passage.
import { post } from './api.js'
import { callCopies, questionOf } from './call_copies.js'
import { meter, passageCard } from './cards.js'
import { chunkActions, documentOf, notesOf } from './document_data.js'
import { copyButton, element } from './dom.js'
import { FILTERS, form, given, valueOf } from './fields.js'
import { count, tokensOf } from './format.js'
import { hitsTable } from './hits.js'
import { panel, passageView } from './passage.js'
import { ratingButtons } from './ratings.js'
import { formatState } from './state.js'

const LIMITS = ['strategy', 'max_tokens', 'max_chunks']
const SEARCH = ['query', 'mode', 'feedback', ...FILTERS, ...LIMITS, 'max_passages', 'max_distance', 'imports']
const HITS = ['query', 'mode', 'feedback', ...FILTERS]

// The hits that a rerank model reads by default.
const CANDIDATES = 50

// Returns the fields, with one for the reranker if the server has one.
function groupsOf(store) {
  return [
    { names: ['strategy', 'max_tokens', 'max_passages', 'mode', 'collection', ...(store.reranks ? ['rerank'] : [])] },
    {
      title: 'More options',
      names: ['feedback', ...FILTERS.filter((name) => name !== 'collection'), 'max_chunks', 'max_distance', 'imports'],
    },
  ]
}

// Returns the view of a search.
export function searchView(parameters, context) {
  const { lists, load } = context
  const results = element('div', { class: 'results' })
  const question = valueOf(parameters, 'query')
  if (question) load(results, async () => resultsOf(await search(parameters, context), parameters, context))
  else results.append(element('p', { class: 'note' }, 'Ask a question, or search for words, "phrases" and -excluded words.'))
  return element(
    'div',
    {},
    element('h1', { class: 'hidden', tabindex: -1 }, 'Search'),
    form('search', 'Search', 'query', groupsOf(context.store), parameters, lists),
    results,
  )
}

// Searches, and explains the context of the hits that the passages have.
async function search(parameters, { store }) {
  const call = given(parameters, SEARCH)
  const hitsCall = given(parameters, HITS)
  // As many hits as passages, so both functions take the same number of candidates, and the hits have the same scores.
  if (call.max_passages !== undefined) hitsCall.max_hits = call.max_passages
  const reranks = store.reranks && parameters.rerank !== 'off'
  if (reranks) hitsCall.max_hits = CANDIDATES
  const explained = { ...call, output: { ...call.output, explain: true }, ...(store.reranks && { rerank: reranks }) }
  const [found, listed] = await Promise.all([post('search', explained), post('search_hits', hitsCall)])
  const [passages, hits] = [found.results, listed.results]
  const explain = passages.flatMap((passage) => passage.explanation)
  // The budget is spent in the order of the hits, on all passages together.
  explain.sort((a, b) => a.tokens_so_far - b.tokens_so_far || b.kept - a.kept)
  const notes = new Map([...found.notes, ...listed.notes].map((note) => [note.message, note]))
  const explainCall = explainArguments(explain, given(parameters, LIMITS))
  return { call, hitsCall, explainCall, passages, hits, explain, reranked: found.reranked, notes: [...notes.values()] }
}

// Returns arguments with which `explain_context` expands the hits of passages as `search` did: in the order of the hits.
function explainArguments(explain, limits) {
  const hits = new Map(explain.map((row) => [row.hit, row.hit_id]))
  const positions = [...hits.keys()].sort((a, b) => a - b)
  return { chunk_ids: positions.map((position) => hits.get(position)), ...limits }
}

const RERANKED = 'A rerank model has ordered the hits of these passages. The copied SQL returns them in the order of the search.'

function resultsOf(found, parameters, context) {
  const { passages, hits, call, hitsCall } = found
  const question = questionOf(call, context.store)
  const budget = call.max_tokens ? ` of a budget of ${count(call.max_tokens, 'token')}` : ''
  context.report(`${count(passages.length, 'passage')}, ${count(tokensOf(passages), 'token')}${budget}`)
  const prompt = passages.map((passage) => `[${passage.rank}] ${passage.uri ?? ''}\n${passage.content}`).join('\n\n')
  return [
    notesOf(found.notes),
    panel(
      'Passages',
      found.reranked ? RERANKED : null,
      element(
        'div',
        { class: 'controls' },
        ...callCopies('search', call, question, context.store),
        copyButton('Copy link', () => location.href),
        passages.length ? copyButton('Copy all texts', () => prompt) : null,
        element('a', { class: 'button', href: formatState('compare', compareParameters(parameters)) }, 'Compare strategies'),
      ),
      meter(passages, call.max_tokens),
      passages.length
        ? element(
            'ol',
            { class: 'cards' },
            passages.map((passage) =>
              passageCard(passage, found.explain, parameters, ratingButtons(passage, call.query, context.store)),
            ),
          )
        : element('p', {}, 'No passages.'),
    ),
    panel(
      'Hits',
      `The chunks that answer the question, before context is added${found.reranked ? ', in the order of the search' : ''}.`,
      element('div', { class: 'controls' }, ...callCopies('search_hits', hitsCall, question, context.store)),
      hitsTable(hits, passages),
    ),
  ]
}

function compareParameters(parameters) {
  const names = ['query', 'mode', ...FILTERS]
  const same = Object.fromEntries(names.filter((name) => parameters[name]).map((name) => [name, parameters[name]]))
  return {
    ...same,
    'a.strategy': valueOf(parameters, 'strategy'),
    'a.max_tokens': valueOf(parameters, 'max_tokens'),
    'b.strategy': 'section',
    'b.max_tokens': valueOf(parameters, 'max_tokens'),
  }
}

const UNLIMITED =
  'Without a token budget, search takes that of the strategy or of the server, and explain_context limits the context of each hit. ' +
  'So the budget below can differ from that of the passage.'

// Returns the view of the passage that has a hit.
export function foundPassageView(parameters, context) {
  const { hit, ...searched } = parameters
  const box = element('div', {})
  context.load(box, async () => {
    const found = await search(searched, context)
    const passage =
      found.passages.find((one) => one.hit_ids.includes(hit)) ?? found.passages.find((one) => one.chunk_ids.includes(hit))
    if (!passage) {
      const text = 'The search no longer returns this passage, because documents or settings have changed.'
      return element(
        'p',
        { class: 'message' },
        text,
        ' ',
        element('a', { href: formatState('search', searched) }, 'Show the search'),
      )
    }
    const [outline, chunks] = await documentOf(passage.document_id, passage.hit_ids)
    const call = { ...found.explainCall, store: context.store.store }
    const view = { passage, explain: found.explain, outline, chunks, budget: found.call.max_tokens || null, call }
    const controls = [
      element('a', { class: 'button', href: formatState('search', searched) }, 'Back to the search'),
      ...callCopies('search', found.call, questionOf(found.call, context.store), context.store),
      copyButton('Copy link', () => location.href),
      copyButton('Copy text', () => passage.content),
      element('a', { class: 'button', href: formatState('compare', compareParameters(searched)) }, 'Compare strategies'),
    ]
    context.report(`Passage ${passage.rank}, ${count(passage.tokens, 'token')}`)
    const unlimited = found.call.max_tokens === undefined && element('p', { class: 'message' }, UNLIMITED)
    return [unlimited, passageView(view, controls, chunkActions)]
  })
  return box
}
