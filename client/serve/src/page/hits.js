// The hits of a search as a table.
import { element } from './dom.js'
import { count, score, sectionText } from './format.js'
import { formatState } from './state.js'

const SHOWN_HITS = 10

// Returns the table, with the passage that each hit became part of.
export function hitsTable(hits, passages) {
  const passageOf = new Map(passages.flatMap((passage) => passage.hit_ids.map((id) => [id, passage.rank])))
  const row = (hit) =>
    element(
      'tr',
      {},
      element('td', {}, String(hit.rank)),
      element(
        'td',
        {},
        element('a', { href: formatState('context', { chunk: hit.chunk_id }) }, sectionText(hit.section)),
        element('span', { class: 'note' }, hit.uri ?? ''),
      ),
      element('td', { class: 'number' }, String(hit.tokens ?? '')),
      element('td', { class: 'number' }, score(hit.score)),
      element('td', { class: 'number' }, String(hit.vector_rank ?? '–')),
      element('td', { class: 'number' }, String(hit.text_rank ?? '–')),
      element('td', { class: 'number' }, String(passageOf.get(hit.chunk_id) ?? '–')),
    )
  const head = [
    ['#'],
    ['Chunk'],
    ['Tokens', 'number'],
    ['Score', 'number'],
    ['By meaning', 'number'],
    ['By words', 'number'],
    ['Passage', 'number'],
  ]
  const body = element('tbody', {}, hits.slice(0, SHOWN_HITS).map(row))
  const box = element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Hits' },
    element(
      'table',
      { class: 'hits' },
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          head.map(([name, kind]) => element('th', { scope: 'col', class: kind ?? null }, name)),
        ),
      ),
      body,
    ),
  )
  if (hits.length <= SHOWN_HITS) return box
  const more = element(
    'button',
    { type: 'button', click: () => (body.append(...hits.slice(SHOWN_HITS).map(row)), more.remove()) },
    `Show ${count(hits.length - SHOWN_HITS, 'more hit')}`,
  )
  return element('div', {}, box, more)
}
