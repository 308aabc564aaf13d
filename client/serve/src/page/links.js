// The links of a document, and those that lead to it.
import { post } from './api.js'
import { button, element } from './dom.js'
import { panel } from './passage.js'
import { formatState } from './state.js'

const SHOWN_LINKS = 50

// Returns the links of a document and its backlinks. A database with an earlier version has none.
export function linksOf(document_id) {
  const rows = (path) => post(path, { document_id }).then(({ results }) => results, () => [])
  return Promise.all([rows('links'), rows('backlinks')])
}

// Returns a panel for each direction that has links.
export function linkPanels([links, backlinks]) {
  return [
    links.length ? panel('Links', null, listOf(links, target)) : null,
    backlinks.length ? panel('Backlinks', 'Documents that refer to this one.', listOf(backlinks, origin)) : null,
  ]
}

function listOf(links, entry) {
  const list = element('ul', { class: 'links' })
  const add = (shown) => list.append(...shown.map((link) => element('li', {}, entry(link))))
  add(links.slice(0, SHOWN_LINKS))
  if (links.length <= SHOWN_LINKS) return list
  const more = button(`Show all ${links.length} links`, () => {
    add(links.slice(SHOWN_LINKS))
    more.remove()
  })
  return [list, more]
}

// The document that a link leads to, or its target as written.
function target({ text, to_document, to_chunk, to_uri, to_title, to_section }) {
  const name = to_section ? `${to_uri}#${to_section}` : to_uri
  const note = to_document ? (to_chunk ? name : `${name}: no such section`) : `${name}: not in the store`
  const shown = text || to_title || name
  return [
    to_document ? element('a', { href: formatState('document', { id: to_document }) }, shown) : shown,
    element('span', { class: 'note' }, ` ${note}`),
  ]
}

// The document with a link, and the text of the link.
function origin({ text, from_document, from_title, from_uri }) {
  return [
    element('a', { href: formatState('document', { id: from_document }) }, from_title || from_uri || from_document),
    element('span', { class: 'note' }, ` ${text || from_uri || ''}`),
  ]
}
