// The section tree of a document, with the hits, the context and the cut chunks of each section.
import { button, element } from './dom.js'
import { count, lastTitle, lines } from './format.js'
import { icon, markClass } from './marks.js'

const SHOWN_SECTIONS = 60
const DEEPEST = 8

// Returns the tree. `select` gets the first chunk of the section that a user chooses.
export function sectionTree(outline, chunks, marks, select) {
  const sections = sectionsOf(outline, chunks, marks)
  const list = element('ul', { class: 'tree' })
  const box = element('div', {}, list)
  const show = (shown) => list.replaceChildren(...shown.map((section) => entry(section, select)))
  const marked = sections.filter((section) => section.isMarked)
  if (sections.length > SHOWN_SECTIONS) {
    const shown = marked.length ? marked : sections.slice(0, SHOWN_SECTIONS)
    const more = button(`Show all ${count(sections.length, 'section')}`, () => {
      show(sections)
      more.remove()
    })
    show(shown)
    box.append(more)
  } else {
    show(sections)
  }
  return box
}

// Returns the sections with their marks. One with marks below it counts as marked too.
function sectionsOf(outline, chunks, marks) {
  const counts = new Map()
  const first = new Map()
  const below = new Set()
  for (const chunk of chunks) {
    const key = JSON.stringify(chunk.section ?? [])
    if (!first.has(key)) first.set(key, chunk)
    const mark = marks?.get(chunk.id)
    if (!mark) continue
    const own = counts.get(key) ?? new Map()
    const kind = markClass(mark)
    own.set(kind, { mark, number: (own.get(kind)?.number ?? 0) + 1 })
    counts.set(key, own)
    for (let depth = 0; depth <= (chunk.section ?? []).length; depth++)
      below.add(JSON.stringify(chunk.section.slice(0, depth)))
  }
  return outline.map((row) => {
    const key = JSON.stringify(row.section ?? [])
    return { row, marks: counts.get(key), chunk: first.get(key), isMarked: below.has(key) }
  })
}

function entry({ row, marks, chunk, isMarked }, select) {
  const title = lastTitle(row.section) || '(no title)'
  const depth = Math.min(Math.max((row.section ?? []).length - 1, 0), DEEPEST)
  const badge = ([kind, { mark, number }]) => element('span', { class: `badge ${kind}` }, icon(mark), `${number} ${kind}`)
  const order = ['hit', 'context', 'cut']
  const badges = [...(marks ?? [])].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)).map(badge)
  const control = chunk ? button(title, () => select(chunk), { class: 'link' }) : element('span', {}, title)
  return element(
    'li',
    { class: `depth-${depth}${isMarked ? '' : ' quiet'}` },
    control,
    badges,
    element(
      'span',
      { class: 'note' },
      row.chunks ? [lines(row), count(row.tokens ?? 0, 'token')].filter(Boolean).join(', ') : 'no chunk of its own',
    ),
  )
}
