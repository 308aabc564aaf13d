// Passages as cards: the text as it goes into a prompt, with the tokens of each chunk.
import { copyButton, element, picture, shape } from './dom.js'
import { chunkNumber, count, facts, lastTitle, scoreFact, sectionText, source, tokensOf } from './format.js'
import { icon, markClass, marksOf } from './marks.js'
import { completeness } from './passage.js'
import { formatState } from './state.js'

const SHOWN_CHIPS = 16
const NEWLINE = 10

// Returns a bar of the budget, with a part for each passage.
export function meter(passages, budget) {
  const spent = tokensOf(passages)
  const all = `${count(spent, 'token')}${budget ? ` of ${budget.toLocaleString('en')}` : ''}`
  const bar = picture(`Tokens of the passages: ${all}`, (width) => {
    const max = Math.max(budget || 0, spent, 1)
    const parts = [shape('rect', { class: 'budget-frame', x: 0.5, y: 0.5, width: width - 1, height: 23, rx: 4 })]
    let x = 0
    for (const passage of passages) {
      const size = (width * passage.tokens) / max
      parts.push(shape('rect', { class: 'bar hit', x: x + 1, y: 2, width: Math.max(size - 2, 1), height: 20, rx: 3 }))
      if (size > 30)
        parts.push(
          shape('text', { class: 'bar-rank', x: x + size / 2, y: 17, 'text-anchor': 'middle' }, String(passage.rank)),
        )
      x += size
    }
    return { height: 24, parts }
  })
  return element('div', { class: 'meter' }, bar, element('b', {}, all))
}

// Returns a passage as it goes into a prompt. `ratings` are the controls that rate it.
export function passageCard(passage, explain, parameters, ratings = null) {
  const hits = new Set(passage.hit_ids)
  const rows = explain.filter((row) => hits.has(row.hit_id))
  const marks = marksOf(rows, passage)
  const inspect = formatState('passage', { ...parameters, hit: passage.hit_ids[0] ?? passage.chunk_ids[0] })
  return element(
    'li',
    { class: 'card' },
    cardHead(passage, (text) => element('h3', {}, element('a', { href: inspect }, text))),
    chips(rows, marks),
    promptText(passage),
    element(
      'div',
      { class: 'controls' },
      element('a', { class: 'button primary', href: inspect }, 'Inspect'),
      copyButton('Copy text', () => passage.content),
      ratings,
    ),
  )
}

// Returns the first rows of a card: rank, section, place, score and tokens. `heading` makes an element of the section.
export function cardHead(passage, heading) {
  const titles = passage.section.length ? passage.section : [passage.title ?? '(no title)']
  return element(
    'div',
    { class: 'card-head' },
    element('span', { class: 'rank' }, String(passage.rank)),
    element('div', {}, heading(sectionText(titles)), facts(source(passage), scoreFact(passage), completeness(passage))),
    element('b', { class: 'tokens' }, count(passage.tokens, 'token')),
  )
}

// Returns the chunks of a passage in document order, then the cut ones, each with its tokens.
function chips(rows, marks) {
  const known = [...new Map(rows.map((row) => [row.chunk_id, row])).values()]
  const kept = known.filter((row) => marks.get(row.chunk_id)?.kept).sort((a, b) => a.ordinal - b.ordinal)
  const cut = known.filter((row) => marks.has(row.chunk_id) && !marks.get(row.chunk_id).kept)
  const all = [...kept, ...cut]
  const chip = (row) => {
    const mark = marks.get(row.chunk_id)
    return element(
      'li',
      { class: `chip ${markClass(mark)}` },
      icon(mark),
      element('span', {}, `${chunkNumber(row)} ${mark.kept ? mark.role : 'cut'}: ${lastTitle(row.section)}`),
      element('b', {}, String(row.tokens ?? '?')),
    )
  }
  const more = all.length - SHOWN_CHIPS
  return element(
    'ul',
    { class: 'chips', 'aria-label': 'Chunks with their tokens' },
    all.slice(0, SHOWN_CHIPS).map(chip),
    more > 0 ? element('li', { class: 'note' }, `and ${count(more, 'more chunk')}`) : null,
  )
}

// Returns the text of a passage. Its hits are marked, and parts that are not from the document too.
function promptText(passage) {
  const bytes = new TextEncoder().encode(passage.content)
  const decoder = new TextDecoder()
  const parts = []
  let at = 0
  const add = (end, kind) => {
    const text = decoder.decode(bytes.subarray(at, end))
    // Whole lines can be a block; a chunk that ends within a line is not.
    const isWhole = (at === 0 || bytes[at - 1] === NEWLINE) && (end === bytes.length || bytes[end - 1] === NEWLINE)
    const classes = [kind, isWhole && 'lines'].filter(Boolean).join(' ')
    if (text) parts.push(element(kind === 'hit' ? 'mark' : 'span', { class: classes || null }, text))
    at = end
  }
  for (const citation of [...(passage.citations ?? [])].sort((a, b) => a.start - b.start)) {
    if (citation.start > at) add(citation.start, 'added')
    add(Math.max(citation.end, at), citation.role === 'hit' && 'hit')
  }
  add(bytes.length, 'added')
  return element('pre', { class: 'prompt' }, parts)
}
