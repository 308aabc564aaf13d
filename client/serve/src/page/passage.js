// One passage with all that led to it: the budget, the section tree, and the text with chunk borders.
//
// The page and the file of `passage context --html` draw the same view with this module.
import { budgetPicture } from './budget.js'
import { markedText, showChunk } from './chunk_text.js'
import { element } from './dom.js'
import { count, facts, scoreFact, sectionText, source } from './format.js'
import { legend, markClass, marksOf } from './marks.js'
import { sizesChart } from './sizes.js'
import { sqlCopies } from './sql_copies.js'
import { sectionTree } from './tree.js'

// Returns the view of a passage.
//
// `view` has the passage, the rows of explain_context, outline and chunks of its document, the budget, and the
// arguments of explain_context. `actions` returns controls for a chunk; `controls` are those of the whole view.
export function passageView(view, controls = [], actions = null) {
  const { passage, explain, outline, chunks, budget, call } = view
  const hits = new Set(passage.hit_ids)
  const isShown = (row) => hits.has(row.hit_id) || hits.has(row.chunk_id)
  const marks = marksOf(explain.filter(isShown), passage)
  const text = markedText(chunks, marks, actions)
  const select = (chunk) => showChunk(text, chunk)
  return element(
    'div',
    { class: 'passage-view' },
    head(view, marks, controls),
    panel(
      'Budget',
      'Chunks in the order in which they spend the budget.',
      budgetPicture(explain, budget, isShown),
      element('div', { class: 'controls' }, sqlCopies('explain_context', call, 'explain')),
    ),
    panel('Document', 'Each bar is a chunk, as high as its tokens.', legend(marks), sizesChart(chunks, marks, select)),
    element(
      'div',
      { class: 'columns' },
      panel('Sections', null, sectionTree(outline, chunks, marks, select)),
      panel('Text', 'Each box is a chunk. The numbers are lines of the source.', text),
    ),
  )
}

function head({ passage }, marks, controls) {
  const kinds = [...marks.values()].map(markClass)
  const number = (kind) => kinds.filter((other) => other === kind).length
  return element(
    'header',
    { class: 'view-head' },
    element('h1', { tabindex: -1 }, passage.title || passage.section.at(-1) || passage.uri || 'Passage'),
    passage.section.length && sectionText(passage.section) !== passage.title
      ? element('p', { class: 'section' }, sectionText(passage.section))
      : null,
    facts(
      source(passage),
      count(passage.tokens, 'token'),
      count(number('hit'), 'hit'),
      `${count(number('context'), 'chunk')} of context`,
      number('cut') ? `${number('cut')} cut` : null,
      scoreFact(passage),
      completeness(passage),
    ),
    element('div', { class: 'controls' }, controls),
  )
}

// Returns what a limit did to a passage.
export function completeness({ truncated, complete }) {
  return truncated ? 'truncated: a limit removed context' : complete ? 'complete' : 'not complete'
}

// Returns a part of a view with a heading.
export function panel(title, note, ...children) {
  return element(
    'section',
    { class: 'panel' },
    element('h2', {}, title),
    note ? element('p', { class: 'note' }, note) : null,
    children,
  )
}
