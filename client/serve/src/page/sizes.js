// The sizes of the chunks of a document as a bar chart.
import { picture, shape } from './dom.js'
import { chunkName, count, lines, sectionText } from './format.js'
import { markClass, markText, symbol } from './marks.js'

const HEIGHT = 120
const AXIS = 34

// Returns the chart: one bar for each chunk, in document order. `select` gets the chunk that a user chooses. The bars
// are buttons with one stop of the tab key, and arrow keys move between them.
//
// A document with more chunks than the chart has pixels has bars of several chunks, as high as the largest of them.
export function sizesChart(chunks, marks, select) {
  const sizes = chunks.map((chunk) => chunk.tokens ?? 0).sort((a, b) => a - b)
  const median = sizes[Math.floor(sizes.length / 2)] ?? 0
  const largest = Math.max(...sizes.slice(-1), 1)
  const label = `Sizes of ${count(chunks.length, 'chunk')}: ${sizes[0] ?? 0} to ${largest} tokens, median ${median}`
  const draw = (width) => {
    const room = width - AXIS - 2
    const bars = Math.min(chunks.length, Math.floor(room / 2))
    const step = Math.min(room / bars, 90)
    const parts = axis(largest, width)
    for (let index = 0; index < bars; index++) {
      const begin = Math.floor((index * chunks.length) / bars)
      const group = chunks.slice(begin, Math.max(Math.floor(((index + 1) * chunks.length) / bars), begin + 1))
      parts.push(bar(group, marks, select, { x: AXIS + index * step, step, largest, isFirst: index === 0 }))
    }
    if (bars < chunks.length) {
      const text = `a bar is the largest of up to ${Math.ceil(chunks.length / bars)} chunks`
      parts.push(shape('text', { class: 'axis', x: AXIS, y: HEIGHT + 16 }, text))
    }
    return { height: HEIGHT + 20, parts }
  }
  return picture(label, draw, 'group')
}

// Moves the focus to another bar, or chooses the bar.
function press(event, choose) {
  const bars = [...event.currentTarget.parentNode.querySelectorAll('.column')]
  const at = bars.indexOf(event.currentTarget)
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: bars.length - 1 }[event.key]
  if (event.key === 'Enter' || event.key === ' ') choose()
  else if (next === undefined) return
  else if (bars[next]) {
    bars[at].setAttribute('tabindex', -1)
    bars[next].setAttribute('tabindex', 0)
    bars[next].focus()
  }
  event.preventDefault()
}

function axis(largest, width) {
  const line = (share) => {
    const y = HEIGHT - (HEIGHT - 18) * share
    return [
      shape('path', { class: 'grid', d: `M${AXIS} ${y}H${width}` }),
      shape('text', { class: 'axis', x: AXIS - 6, y: y + 4, 'text-anchor': 'end' }, String(Math.round(largest * share))),
    ]
  }
  return [0, 0.5, 1].flatMap(line)
}

const ORDER = ['hit', 'context', 'cut', 'none']

function bar(group, marks, select, { x, step, largest, isFirst }) {
  const rank = (chunk) => ORDER.indexOf(markClass(marks?.get(chunk.id)))
  const first = group.reduce((best, chunk) => (rank(chunk) < rank(best) ? chunk : best))
  const mark = marks?.get(first.id)
  const kind = marks ? markClass(mark) : 'chunk'
  const size = Math.max(...group.map((chunk) => chunk.tokens ?? 0))
  const height = Math.max(((HEIGHT - 18) * size) / largest, 2)
  const width = Math.max(step - (step > 4 ? 2 : 0.5), 1)
  const title = `${chunkName(first)}, ${sectionText(first.section)}, ${lines(first)}, ${count(first.tokens ?? 0, 'token')}${marks ? `, ${markText(mark)}` : ''}`
  const choose = () => select(first)
  return shape(
    'g',
    {
      class: 'column',
      role: 'button',
      tabindex: isFirst ? 0 : -1,
      'aria-label': title,
      click: choose,
      keydown: (event) => press(event, choose),
    },
    shape('title', {}, title),
    // A bar of two pixels is hard to hit, so the whole column takes the click.
    shape('rect', { class: 'target', x, y: 0, width: step, height: HEIGHT + 18 }),
    shape('rect', {
      class: `bar ${kind}`,
      x: x + (step - width) / 2,
      y: HEIGHT - height,
      width,
      height,
      rx: step > 8 ? 2 : 0,
    }),
    mark && step >= 12 ? symbol(mark, x + step / 2 - 6, HEIGHT + 5) : null,
  )
}
