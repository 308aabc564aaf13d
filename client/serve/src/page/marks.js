// Marks of chunks in a passage: a hit, context with a role, or cut. Each has a shape of its own besides its color.
import { element, shape } from './dom.js'

// Paths in a box of 12 by 12.
const SHAPES = {
  hit: 'M6 0 12 6 6 12 0 6Z',
  parent: 'M6 1 12 11H0Z',
  ancestor: 'M6 0 12 5H8V12H4V5H0Z',
  child: 'M0 1H12L6 11Z',
  preceding: 'M11 0V12L1 6Z',
  following: 'M1 0 11 6 1 12Z',
  adjacent: 'M6 0A6 6 0 1 0 6 12 6 6 0 1 0 6 0Z',
  section: 'M1 1H11V11H1Z',
  linked: 'M0 6 4 2V5H12V7H4V10Z',
  cut: 'M1.5 1.5 10.5 10.5M10.5 1.5 1.5 10.5',
  none: 'M6 4A2 2 0 1 0 6 8 2 2 0 1 0 6 4Z',
}

// The meanings of roles, for the legend.
const MEANINGS = {
  hit: 'hit',
  parent: 'parent: the section above',
  ancestor: 'ancestor: a section further above',
  child: 'child: a section below',
  preceding: 'preceding sibling',
  following: 'following sibling',
  adjacent: 'adjacent chunk',
  section: 'chunk of the selected section',
  linked: 'linked: a section that a link leads to',
  cut: 'cut: considered, but a limit removed it',
  none: 'not considered',
}

// Returns the class of a mark: hit, context, cut or none.
export function markClass(mark) {
  if (!mark) return 'none'
  if (!mark.kept) return 'cut'
  return mark.role === 'hit' ? 'hit' : 'context'
}

function shapeOf(mark) {
  const kind = markClass(mark)
  return kind === 'context' ? (SHAPES[mark.role] ? mark.role : 'adjacent') : kind
}

// Returns the shape of a mark at a place of an SVG.
export function symbol(mark, x = 0, y = 0) {
  return shape('path', { d: SHAPES[shapeOf(mark)], class: `symbol ${markClass(mark)}`, transform: `translate(${x} ${y})` })
}

// Returns the shape of a mark for a text, which names it too.
export function icon(mark) {
  return shape('svg', { class: 'icon', width: 12, height: 12, viewBox: '0 0 12 12', 'aria-hidden': 'true' }, symbol(mark))
}

// Returns what a mark says in words.
export function markText(mark) {
  if (!mark) return 'not considered'
  return mark.kept ? mark.role : `${mark.role}, cut by ${mark.cut_by ?? 'a limit'}`
}

// Returns the marks of chunks by id, from the rows of `explain_context` and the citations of a passage.
//
// Several hits can request a chunk: if one of them gets it, it is not cut.
export function marksOf(explained, passage) {
  const marks = new Map()
  const inPassage = passage && new Set(passage.chunk_ids)
  for (const row of explained) {
    if (inPassage && row.kept && !inPassage.has(row.chunk_id)) continue
    if (row.kept || !marks.has(row.chunk_id)) marks.set(row.chunk_id, row)
  }
  for (const citation of passage?.citations ?? []) {
    const mark = marks.get(citation.chunk_id)
    if (!mark?.kept) marks.set(citation.chunk_id, { ...mark, kept: true, role: citation.role })
  }
  return marks
}

// Returns the legend of the marks that a picture has.
export function legend(marks, withNone = true) {
  const shown = new Map()
  for (const mark of marks.values()) shown.set(shapeOf(mark), mark)
  if (withNone) shown.set('none', null)
  const order = Object.keys(SHAPES)
  const entries = [...shown].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  const entry = ([name, mark]) => element('li', {}, icon(mark), MEANINGS[name])
  return element('ul', { class: 'legend', 'aria-label': 'Marks' }, entries.map(entry))
}
