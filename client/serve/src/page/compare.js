// Two strategies or budgets for the same hits, side by side, with the chunks that only one of them selects.
import { post } from './api.js'
import { cardHead } from './cards.js'
import { block } from './chunk_text.js'
import { chunksOf, notesOf } from './document_data.js'
import { copyButton, element } from './dom.js'
import { FILTERS, form, given, valueOf } from './fields.js'
import { chunkNumber, count, lines, sectionText, tokensOf } from './format.js'
import { icon, legend, markText, marksOf } from './marks.js'
import { panel } from './passage.js'
import { sqlCopies } from './sql_copies.js'

const LIMITS = ['strategy', 'max_tokens', 'max_chunks']
const GROUPS = [
  { legend: 'A', names: LIMITS.map((name) => `a.${name}`) },
  { legend: 'B', names: LIMITS.map((name) => `b.${name}`) },
  { title: 'Hits', names: ['max_hits', 'mode', ...FILTERS, 'chunks'] },
]

export function compareView(parameters, context) {
  const box = element('div', { class: 'results' })
  if (valueOf(parameters, 'query') || valueOf(parameters, 'chunks')) context.load(box, () => comparison(parameters, context))
  else box.append(element('p', { class: 'note' }, 'Ask a question, and choose two strategies or budgets for its hits.'))
  return element(
    'div',
    {},
    element('h1', { tabindex: -1 }, 'Compare'),
    form('compare', 'Compare', 'query', GROUPS, parameters, context.lists),
    box,
  )
}

// Returns the hits of both sides: the given ids, else those of the question.
async function hitsOf(parameters) {
  const ids = valueOf(parameters, 'chunks')
    .split(/[\s,]+/)
    .filter(Boolean)
  if (ids.length) return { call: { chunk_ids: ids }, notes: [] }
  const { results, notes } = await post('search_hits', given(parameters, ['query', 'mode', 'max_hits', ...FILTERS]))
  return { call: { chunk_ids: results.map((hit) => hit.chunk_id), scores: results.map((hit) => hit.score) }, notes }
}

async function comparison(parameters, { store, report }) {
  const hits = await hitsOf(parameters)
  if (!hits.call.chunk_ids.length) return element('p', {}, 'No hits.')
  const sides = await Promise.all(['a', 'b'].map((name) => sideOf(name, hits.call, parameters)))
  const documents = await documentsOf(sides)
  const [a, b] = sides
  const only = [onlyIn(a, b), onlyIn(b, a)]
  report(`Only in A: ${count(only[0].size, 'chunk')}. Only in B: ${count(only[1].size, 'chunk')}.`)
  const all = new Map([...a.marks, ...b.marks])
  return [
    notesOf([...hits.notes, ...a.notes, ...b.notes]),
    panel(
      'Difference',
      null,
      summary(sides, only),
      element(
        'div',
        { class: 'controls' },
        copyButton('Copy link', () => location.href),
        ...sides.map(({ call, title }) => sqlCopies('reassemble', { ...call, store: store.store }, title)),
      ),
    ),
    panel(
      'Chunks',
      'Chunks that A or B considers, in document order.',
      legend(all, false),
      documents.map((one) => chunksTable(one, sides)),
    ),
    panel(
      'Passages',
      'A chunk that only one side has is marked.',
      element(
        'div',
        { class: 'sides' },
        sides.map((side, index) => sidePassages(side, only[index], documents)),
      ),
    ),
  ]
}

async function sideOf(name, hits, parameters) {
  const call = {
    ...hits,
    ...given(
      parameters,
      LIMITS.map((limit) => `${name}.${limit}`),
    ),
  }
  const [found, explained] = await Promise.all([post('reassemble', call), post('explain', call)])
  const passages = found.results
  const marks = marksOf(explained.results)
  // A passage can leave out a part that expansion has kept, so its own chunks count.
  const kept = new Set(passages.flatMap((passage) => passage.chunk_ids))
  for (const passage of passages) {
    for (const [id, mark] of marksOf([], passage)) if (!marks.get(id)?.kept) marks.set(id, mark)
  }
  return {
    name,
    title: name.toUpperCase(),
    call,
    passages,
    explain: explained.results,
    marks,
    kept,
    notes: [...found.notes, ...explained.notes],
  }
}

function onlyIn(side, other) {
  return new Set([...side.kept].filter((id) => !other.kept.has(id)))
}

// Returns the documents of both sides with their chunks, those of better passages first.
async function documentsOf(sides) {
  const passages = sides.flatMap((side) => side.passages)
  const first = [...new Map(passages.map((passage) => [passage.document_id, passage])).values()]
  const load = async (passage) => ({ passage, chunks: await chunksOf(passage.document_id) })
  return Promise.all(first.map(load))
}

function describe({ call }) {
  const parts = [call.strategy ?? 'default strategy']
  if (call.max_tokens !== undefined) parts.push(call.max_tokens ? count(call.max_tokens, 'token') : 'no budget')
  if (call.limits?.max_chunks !== undefined) parts.push(count(call.limits.max_chunks, 'chunk'))
  return parts.join(', ')
}

function summary(sides, only) {
  const cut = (side) => [...side.marks.values()].filter((mark) => !mark.kept).length
  const rows = [
    ['Passages', (side) => side.passages.length],
    ['Tokens', (side) => tokensOf(side.passages)],
    ['Chunks', (side) => side.kept.size],
    ['Chunks only here', (_, index) => only[index].size],
    ['Considered and cut', cut],
    ['Truncated passages', (side) => side.passages.filter((passage) => passage.truncated).length],
  ]
  const row = ([name, figure]) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      sides.map((side, index) => element('td', { class: 'number' }, figure(side, index).toLocaleString('en'))),
    )
  const head = element(
    'tr',
    {},
    element('td', {}),
    sides.map((side) => element('th', { scope: 'col', class: 'number' }, tag(side.name), ` ${describe(side)}`)),
  )
  return element('table', { class: 'summary' }, element('thead', {}, head), element('tbody', {}, rows.map(row)))
}

function tag(name) {
  return element('span', { class: `side-tag ${name}` }, name.toUpperCase())
}

// Returns a table with a row for each chunk, and a column for each side.
function chunksTable({ passage, chunks }, sides) {
  const considered = chunks.filter((chunk) => sides.some((side) => side.marks.has(chunk.id)))
  const cell = (side, chunk) => {
    const mark = side.marks.get(chunk.id)
    return element('td', {}, mark ? [icon(mark), ' ', markText(mark)] : element('span', { class: 'note' }, 'not considered'))
  }
  const row = (chunk) => {
    const [inA, inB] = sides.map((side) => side.kept.has(chunk.id))
    const difference = inA === inB ? null : inA ? 'a' : 'b'
    return element(
      'tr',
      { class: difference ? `only-${difference}` : null },
      element(
        'th',
        { scope: 'row' },
        sectionText(chunk.section),
        element(
          'span',
          { class: 'note' },
          [chunkNumber(chunk), lines(chunk), count(chunk.tokens ?? 0, 'token')].filter(Boolean).join(' · '),
        ),
      ),
      sides.map((side) => cell(side, chunk)),
      element('td', {}, difference ? onlyTag(difference) : inA ? 'both' : 'none'),
    )
  }
  const name = passage.uri ?? passage.title ?? passage.document_id
  const head = ['Chunk', 'A', 'B', 'Selected by']
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Chunks of ${name}` },
    element(
      'table',
      { class: 'compared' },
      element('caption', {}, name),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          head.map((title) => element('th', { scope: 'col' }, title)),
        ),
      ),
      element('tbody', {}, considered.map(row)),
    ),
  )
}

function onlyTag(name) {
  return element('span', { class: `only-tag ${name}` }, `only ${name.toUpperCase()}`)
}

function sidePassages(side, only, documents) {
  const chunks = new Map(documents.flatMap((one) => one.chunks).map((chunk) => [chunk.id, chunk]))
  const blocks = (passage) => passage.chunk_ids.map((id) => chunks.get(id)).filter(Boolean)
  const shown = (chunk) => {
    const node = block(chunk, side.marks.get(chunk.id) ?? null, null, only.has(chunk.id) ? onlyTag(side.name) : null)
    // Both sides can show the chunk, and an id must be unique.
    node.id = `${side.name}-${node.id}`
    if (only.has(chunk.id)) node.classList.add(`only-${side.name}`)
    return node
  }
  const one = (passage) =>
    element(
      'li',
      { class: 'card' },
      cardHead(passage, (text) => element('h4', {}, text)),
      element('div', { class: 'chunks' }, blocks(passage).map(shown)),
    )
  return element(
    'section',
    { class: 'side', 'aria-label': `Passages of ${side.title}` },
    element('h3', {}, tag(side.name), ` ${describe(side)}`),
    element('ol', { class: 'cards' }, side.passages.map(one)),
  )
}
