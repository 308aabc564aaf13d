// Elements, made by DOM calls. Texts become text nodes, so no document can add markup.

const SVG = 'http://www.w3.org/2000/svg'

// Returns an element. A property with a function as its value is a listener; null and false leave one out.
export function element(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children)
}

// Returns an SVG element.
export function shape(name, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, name), properties, children)
}

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue
    if (typeof value === 'function') node.addEventListener(name, value)
    else if (name === 'value') node.value = value
    else node.setAttribute(name, value === true ? '' : String(value))
  }
  node.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false))
  return node
}

// Returns a button.
export function button(label, click, properties = {}) {
  return element('button', { type: 'button', click, ...properties }, label)
}

// Draws an SVG with a role for the width of its box, and again when the width changes, so that its texts keep their size.
export function picture(label, draw, role = 'img') {
  const box = element('div', { class: 'picture' })
  let drawn = 0
  const redraw = () => {
    const width = Math.floor(box.clientWidth)
    if (!width || width === drawn) return
    drawn = width
    const { height, parts } = draw(width)
    const size = { width, height, viewBox: `0 0 ${width} ${height}` }
    box.replaceChildren(shape('svg', { role, 'aria-label': label, ...size }, parts))
  }
  new ResizeObserver(redraw).observe(box)
  return box
}

// Copies a text. Without access to the clipboard it shows the text, selected, to copy by hand.
async function copy(text, report) {
  try {
    await navigator.clipboard.writeText(text)
    report('Copied')
  } catch {
    const area = element('textarea', { readonly: true, rows: 12, 'aria-label': 'Text to copy', value: text })
    const dialog = element('dialog', { class: 'copy', 'aria-label': 'Copy' })
    dialog.append(
      element('p', {}, 'This browser does not allow the page to copy. Copy the text:'),
      area,
      button('Close', () => dialog.close()),
    )
    dialog.addEventListener('close', () => dialog.remove())
    document.body.append(dialog)
    dialog.showModal()
    area.select()
  }
}

// Returns a button that copies a text, which `text` returns, maybe later.
export function copyButton(label, text) {
  const control = button(
    label,
    async () => {
      const report = (message) => {
        control.textContent = message
        setTimeout(() => (control.textContent = label), 1500)
      }
      try {
        await copy(await text(), report)
      } catch (error) {
        report(error.message)
      }
    },
    { class: 'copy-button' },
  )
  control.setAttribute('aria-live', 'polite')
  return control
}
