// The page: reads the state from the address, draws its view, and reports progress and errors.
import { get, refresh } from './api.js'
import { compareView } from './compare.js'
import { contextView } from './context.js'
import { documentView, documentsView } from './documents.js'
import { button, element } from './dom.js'
import { evaluationView } from './evaluation.js'
import { foundPassageView, searchView } from './search.js'
import { parseState } from './state.js'

const VIEWS = {
  search: searchView,
  passage: foundPassageView,
  context: contextView,
  compare: compareView,
  documents: documentsView,
  document: documentView,
  evaluation: evaluationView,
}

// The entry of the menu that a view belongs to.
const MENU = { passage: 'search', context: 'documents', document: 'documents' }

const main = document.querySelector('main')
const status = document.getElementById('status')

// Read from the server once, for all views: the store, and its collections for forms.
let lists = null
let drawn = 0
let shownView = null

function report(message) {
  status.textContent = message
}

function errorBox(error) {
  const parts = [error.detail, error.hint].filter(Boolean).map((text) => element('span', { class: 'hint' }, text))
  return element('div', { class: 'message error', role: 'alert' }, element('b', {}, error.message), parts)
}

async function draw() {
  const own = ++drawn
  const { name, parameters } = parseState(location.hash)
  const view = VIEWS[name] ? name : 'search'
  let loads = 0
  main.setAttribute('aria-busy', 'true')
  const finish = () => loads === 0 && own === drawn && main.removeAttribute('aria-busy')
  // An answer for a view that the user has left is not shown.
  const load = async (box, make) => {
    loads += 1
    box.setAttribute('aria-busy', 'true')
    report('Loading')
    let shown
    try {
      shown = [await make()].flat(3).filter(Boolean)
    } catch (error) {
      shown = [errorBox(error)]
      if (own === drawn) report('')
    }
    if (own !== drawn) return
    box.removeAttribute('aria-busy')
    box.append(...shown)
    focusHeading(box)
    loads -= 1
    finish()
  }
  try {
    lists ??= await readLists()
  } catch (error) {
    main.replaceChildren(
      errorBox(error),
      button('Try again', () => refresh()),
    )
    finish()
    return
  }
  if (own !== drawn) return
  const isOther = shownView !== null && shownView !== view
  shownView = view
  wanted = isOther
  report('')
  document.title = `${view[0].toUpperCase()}${view.slice(1)}${parameters.query ? `: ${parameters.query}` : ''} · pg_passage`
  for (const link of document.querySelectorAll('nav a')) {
    if (link.dataset.view === (MENU[view] ?? view)) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  main.replaceChildren(VIEWS[view](parameters, { lists, store: lists.store, load, report }))
  focusHeading(main)
  if (isOther) scrollTo(0, 0)
  finish()
}

// Whether the next heading takes the focus, because the user has changed to another view.
let wanted = false

function focusHeading(box) {
  const heading = wanted && box.querySelector('h1')
  if (heading) {
    wanted = false
    heading.focus({ preventScroll: true })
  }
}

async function readLists() {
  const store = await get('store')
  document.getElementById('store').textContent =
    `store ${store.store} · PostgreSQL ${store.server} · pg_passage ${store.extension}${edition(store)}`
  document.querySelector('nav [data-view="evaluation"]').hidden = !store.has_evaluation
  // A store of views can have no collections.
  const rows = await get('collections').then(
    (answer) => answer.results,
    () => [],
  )
  const collections = [...new Set(rows.map((row) => row.collection).filter(Boolean))]
  return { store: { ...store, strategies: store.strategies ?? [] }, collections }
}

// Returns the edition of pg_passage, if it is not the native one, and what it lacks.
function edition(store) {
  if (store.edition !== 'sql') return ''
  return store.lacks.length ? ` (SQL edition, without ${store.lacks.join(', ')})` : ' (SQL edition)'
}

// `/` moves the focus to the search box, as in other search pages.
function shortcut(event) {
  const isTyping = event.target.closest('input, textarea, select, dialog')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  const box = document.querySelector('input[name="query"]')
  if (box) {
    event.preventDefault()
    box.focus()
    box.select()
  }
}

addEventListener('hashchange', draw)
document.addEventListener('keydown', shortcut)
document.getElementById('skip').addEventListener('click', (event) => {
  event.preventDefault()
  main.focus()
})
draw()
