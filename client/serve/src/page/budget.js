// `explain_context` as a picture: the chunks in the order in which they spend the budget.
import { element, picture, shape } from './dom.js'
import { count, lastTitle, sectionText } from './format.js'
import { markClass, markText, symbol } from './marks.js'

const ROW = 26
const NARROW = 560
const SHOWN_ROWS = 60

// Returns the picture with a table of the same rows. `isShown` chooses the rows of one passage: the others share
// its budget, and each run of them is one bar.
export function budgetPicture(rows, budget, isShown = () => true) {
  const steps = stepsOf(rows, isShown)
  const spent = rows.reduce((max, row) => Math.max(max, row.tokens_so_far), 0)
  const cut = rows.filter((row) => isShown(row) && !row.kept)
  const limit = budget ? `of a budget of ${count(budget, 'token')}` : 'without max_tokens'
  const summary = `${count(spent, 'token')} spent ${limit}; ${count(cut.length, 'chunk')} cut`
  const box = element('div', {})
  const show = (limit) => {
    const shown = steps.slice(0, limit)
    const hidden = steps.length - shown.length
    box.replaceChildren(
      picture(`The budget: ${summary}`, (width) => draw(shown, budget, width)),
      ...(hidden
        ? [element('button', { type: 'button', click: () => show(steps.length) }, `Show ${count(hidden, 'more row')}`)]
        : []),
    )
  }
  show(SHOWN_ROWS)
  return element(
    'div',
    { class: 'budget' },
    element('p', { class: 'note' }, `${summary}.`),
    box,
    table(rows.filter(isShown)),
  )
}

// Returns what the picture draws one below the other: a row, or a run of rows of other passages.
function stepsOf(rows, isShown) {
  const steps = []
  for (const row of rows) {
    if (isShown(row)) {
      steps.push({ row, tokens: row.tokens ?? 0, end: row.tokens_so_far })
    } else if (row.kept) {
      const last = steps[steps.length - 1]
      if (last?.others)
        Object.assign(last, { others: last.others + 1, tokens: last.tokens + (row.tokens ?? 0), end: row.tokens_so_far })
      else steps.push({ others: 1, tokens: row.tokens ?? 0, end: row.tokens_so_far })
    }
  }
  return steps
}

function draw(steps, budget, width) {
  const isNarrow = width < NARROW
  const [left, right] = isNarrow ? [2, 2] : [Math.min(300, width * 0.34), 150]
  const height = isNarrow ? 2 * ROW : ROW
  const top = budget ? 26 : 6
  // A chunk that was cut begins where the budget ended, and can pass its end.
  const endOf = ({ row, tokens, end }) => (row && !row.kept ? end + tokens : end)
  const max = Math.max(budget ?? 0, ...steps.map(endOf), 1)
  const x = (tokens) => left + ((width - left - right) * tokens) / max
  const parts = steps.map((step, index) => bar(step, top + index * height, { x, isNarrow, width, left }))
  const bottom = top + steps.length * height
  if (budget) {
    const at = x(budget)
    const anchor = at > width - right - 90 ? 'end' : 'middle'
    parts.push(
      shape('path', {
        class: 'limit',
        d: isNarrow ? steps.map((_, index) => besideBar(at, top + index * height)).join('') : `M${at} 20V${bottom}`,
      }),
      shape('text', { class: 'limit-label', x: at, y: 14, 'text-anchor': anchor }, `budget ${budget.toLocaleString('en')}`),
    )
  }
  return { height: bottom + 4, parts }
}

// Returns the part of the limit next to one bar: on a phone a whole line would cross the texts between the bars.
function besideBar(x, y) {
  return `M${x} ${y + ROW - 6}v${ROW - 4}`
}

function bar({ row, others, tokens, end }, y, { x, isNarrow, width, left }) {
  const kept = !row || row.kept
  const kind = row ? markClass(row) : 'others'
  const begin = kept ? end - tokens : end
  const [barTop, textTop] = isNarrow ? [y + ROW - 4, y + 16] : [y + 4, y + 17]
  const size = Math.max(x(begin + tokens) - x(begin), 2)
  const parts = [shape('rect', { class: `bar ${kind}`, x: x(begin), y: barTop, width: size, height: ROW - 8, rx: 3 })]
  const label = row ? `${roleText(row)} · ${lastTitle(row.section)}` : `${count(others, 'chunk')} of other passages`
  const amount = kept ? `+${tokens} = ${end}` : `${tokens} cut by ${row.cut_by ?? 'a limit'}`
  const room = isNarrow ? width - 18 - 7 * amount.length - 12 : left - 30
  if (row) parts.push(symbol(row, 2, textTop - 10))
  parts.push(
    shape('text', { class: 'bar-label', x: 20, y: textTop }, shortened(label, room)),
    shape('text', { class: `bar-amount ${kind}`, x: width - 2, y: textTop, 'text-anchor': 'end' }, amount),
  )
  const title = row ? `${markText(row)}, rule ${row.rule}, ${sectionText(row.section)}, ${count(tokens, 'token')}` : label
  return shape('g', {}, shape('title', {}, title), parts)
}

// Returns the role, with the rule that selected the chunk unless the role names it.
function roleText({ role, rule }) {
  const isNamed = rule === role || rule === `${role}s` || rule === 'children'
  return isNamed ? role : `${role} (${rule})`
}

// Returns a text that fits into a width, estimated by 7.2 units for each character.
function shortened(text, width) {
  const max = Math.max(Math.floor(width / 7.2), 8)
  return text.length > max ? `${text.slice(0, max - 1)}…` : text
}

function table(rows) {
  const head = ['hit', 'outcome', 'rule', 'distance', 'section', 'tokens', 'so far']
  const cells = (row) => [
    row.hit,
    markText(row),
    row.rule,
    row.distance,
    sectionText(row.section),
    row.tokens,
    row.tokens_so_far,
  ]
  return element(
    'details',
    {},
    element('summary', {}, 'The rows of explain_context'),
    element(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'The rows of explain_context' },
      element(
        'table',
        {},
        element(
          'thead',
          {},
          element(
            'tr',
            {},
            head.map((name) => element('th', { scope: 'col' }, name)),
          ),
        ),
        element(
          'tbody',
          {},
          rows.map((row) =>
            element(
              'tr',
              {},
              cells(row).map((cell) => element('td', {}, String(cell ?? ''))),
            ),
          ),
        ),
      ),
    ),
  )
}
