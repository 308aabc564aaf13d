// Changes what mdBook does in a page: what its buttons copy, what the keyboard reaches, and the list of themes.

// Returns the text of a block for the clipboard, instead of mdBook's function of this name.
//
// A session of a shell is copied as its commands, without prompts and output. Other blocks are copied as printed.
//
//   $ passage ingest handbook \        passage ingest handbook \
//       --collection handbook     ->       --collection handbook
//   loaded 2 documents
function playground_text(block) {
  const text = block.querySelector('code').textContent
  if (!text.startsWith('$ ')) return text
  const commands = []
  let isContinued = false
  for (const line of text.split('\n')) {
    if (isContinued || line.startsWith('$ ')) {
      commands.push(isContinued ? line : line.slice(2))
      isContinued = line.endsWith('\\')
    }
  }
  return commands.join('\n')
}

// The keyboard reaches the button of the sidebar and blocks that scroll, which mdBook leaves to the mouse.
{
  const SCROLLABLE = 'pre > code, .table-wrapper'

  const toggle = document.getElementById('mdbook-sidebar-toggle')
  toggle.setAttribute('role', 'button')
  toggle.tabIndex = 0
  toggle.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    toggle.click()
  })

  const markScrollable = () => {
    for (const block of document.querySelectorAll(SCROLLABLE)) {
      if (block.scrollWidth > block.clientWidth) block.tabIndex = 0
      else block.removeAttribute('tabindex')
    }
  }
  markScrollable()
  window.addEventListener('resize', markScrollable)
  // Fonts change the widths of tables when they arrive.
  document.fonts.ready.then(markScrollable)

  // In such a block the arrow keys scroll. Elsewhere mdBook opens the next page.
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.target.matches(SCROLLABLE) && event.key.startsWith('Arrow')) event.stopPropagation()
    },
    { capture: true },
  )
}

// The themes are Auto, Light and Dark.
for (const theme of ['rust', 'coal', 'ayu']) document.getElementById(`mdbook-theme-${theme}`).parentElement.remove()
document.getElementById('mdbook-theme-navy').textContent = 'Dark'
