// The text of a document as its chunks, each with borders, its role and the numbers of its lines.
import { button, element } from './dom.js'
import { chunkName, chunkNumber, count, lines, sectionText, tokensOf } from './format.js'
import { icon, markClass, markText } from './marks.js'

const SHOWN_CHUNKS = 200

// Returns the chunks that are marked. Each run of others is a gap that opens.
export function markedText(chunks, marks, actions) {
  const parts = []
  let gap = []
  const close = () => {
    if (gap.length) parts.push(gapOf(gap, actions))
    gap = []
  }
  for (const chunk of chunks) {
    const mark = marks.get(chunk.id)
    if (!mark) {
      gap.push(chunk)
    } else {
      close()
      parts.push(block(chunk, mark, actions))
    }
  }
  close()
  return element('div', { class: 'chunks' }, parts)
}

// Returns all chunks of a document, in parts.
export function wholeText(chunks, actions) {
  const box = element('div', { class: 'chunks' })
  let shown = 0
  const show = (limit) => {
    box.append(...chunks.slice(shown, limit).map((chunk) => block(chunk, undefined, actions)))
    shown = Math.min(limit, chunks.length)
    more.remove()
    if (shown < chunks.length) {
      more.textContent = `Show ${count(Math.min(SHOWN_CHUNKS, chunks.length - shown), 'more chunk')} of ${chunks.length - shown}`
      box.append(more)
    }
  }
  const more = button('', () => show(shown + SHOWN_CHUNKS))
  show(SHOWN_CHUNKS)
  // A chunk that somebody chooses in the chart or in the tree must exist.
  box.reveal = (chunk) => show(Math.max(shown, chunks.indexOf(chunk) + 1))
  return box
}

// Returns the id of the element of a chunk.
export function anchor(chunk) {
  return `chunk-${chunk.id}`
}

// Scrolls to a chunk and moves the focus to it.
export function showChunk(box, chunk) {
  box.reveal?.(chunk)
  for (const gap of box.querySelectorAll('details:not([open])')) {
    if (gap.chunks?.includes(chunk)) {
      gap.fill()
      gap.open = true
    }
  }
  const shown = document.getElementById(anchor(chunk))
  shown?.scrollIntoView({ block: 'start' })
  shown?.focus({ preventScroll: true })
}

function gapOf(chunks, actions) {
  const [first, last] = [chunks[0], chunks[chunks.length - 1]]
  const range = first.first_line ? `, lines ${first.first_line} to ${last.last_line}` : ''
  const text = `${count(chunks.length, 'chunk')} not considered${range}, ${count(tokensOf(chunks), 'token')}`
  const gap = element('details', { class: 'gap' }, element('summary', {}, text))
  gap.chunks = chunks
  // A document can have thousands of chunks, so those of a gap are made when it opens.
  gap.fill = () => gap.children.length === 1 && gap.append(...chunks.map((chunk) => block(chunk, null, actions)))
  gap.addEventListener('toggle', gap.fill)
  return gap
}

// Returns a chunk with its border. Without a mark it is one of a document, with `null` one outside of a passage.
export function block(chunk, mark, actions, extra = null) {
  const kind = mark === undefined ? 'chunk' : markClass(mark)
  const named = mark === undefined ? [] : [icon(mark), element('b', {}, markText(mark))]
  const facts = [
    chunkNumber(chunk),
    lines(chunk),
    chunk.tokens === null ? '' : count(chunk.tokens, 'token'),
    chunk.unit && chunk.unit !== 'none' ? chunk.unit : '',
  ]
  const head = element(
    'div',
    { class: 'head' },
    element('span', { class: 'role' }, named, extra),
    element('span', { class: 'section' }, sectionText(chunk.section)),
    element('span', { class: 'note' }, facts.filter(Boolean).join(' · ')),
    actions?.(chunk),
  )
  const label = `${chunkName(chunk)}${mark === undefined ? '' : `, ${markText(mark)}`}`
  const body =
    chunk.content === null || chunk.content === undefined
      ? element('p', { class: 'note' }, 'This file has no text of this chunk.')
      : text(chunk)
  return element('article', { class: `block ${kind}`, id: anchor(chunk), tabindex: -1, 'aria-label': label }, head, body)
}

// Returns the text with a number before each line; a copy of the text has no numbers.
function text(chunk) {
  const all = chunk.content.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const line = (text, index) =>
    element('span', { class: 'line', 'data-line': chunk.first_line ? chunk.first_line + index : '' }, text)
  return element('pre', {}, all.map(line))
}
