// The documents of a store, and the view of one with all of its chunks: how the splitter divided it.
import { get } from './api.js'
import { showChunk, wholeText } from './chunk_text.js'
import { button, copyButton, element } from './dom.js'
import { form, given } from './fields.js'
import { count, exactJson, facts, source, tokensOf } from './format.js'
import { linkPanels, linksOf } from './links.js'
import { panel } from './passage.js'
import { chunkActions, documentOf } from './document_data.js'
import { sizesChart } from './sizes.js'
import { sqlCopies } from './sql_copies.js'
import { formatState } from './state.js'
import { sectionTree } from './tree.js'

const PAGE = 50

export function documentsView(parameters, context) {
  const box = element('div', { class: 'results' })
  context.load(box, async () => list(parameters, context))
  const filter = form('documents', 'Filter', 'collection', [{ names: ['version'] }], parameters, context.lists)
  return element('div', {}, element('h1', { tabindex: -1 }, 'Documents'), filter, box)
}

async function list(parameters, { report, load }) {
  const filter = given(parameters, ['collection', 'version'])
  const rows = element('tbody', {})
  const more = element('div', { class: 'controls' })
  const add = async (after) => {
    const page = await get('documents', { ...filter, after, limit: PAGE })
    rows.append(...page.results.map(row))
    const next = page.next && button('Show more documents', () => load(more, () => add(page.next)))
    more.replaceChildren(...(next ? [next] : []))
    report(`${count(rows.children.length, 'document')} shown`)
    return []
  }
  await add(null)
  if (!rows.children.length) return element('p', {}, 'No documents.')
  const head = element(
    'tr',
    {},
    [['Document'], ['Collection'], ['Media type'], ['Chunks', 'number']].map(([name, kind]) =>
      element('th', { scope: 'col', class: kind ?? null }, name),
    ),
  )
  return [
    element(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Documents' },
      element('table', { class: 'documents' }, element('thead', {}, head), rows),
    ),
    more,
  ]
}

function row(document) {
  const collection = [document.collection, document.version].filter(Boolean).join(' ')
  return element(
    'tr',
    {},
    element(
      'td',
      {},
      element('a', { href: formatState('document', { id: document.id }) }, document.title || document.uri || document.id),
      element('span', { class: 'note' }, document.uri ?? ''),
    ),
    element('td', {}, collection || '–'),
    element('td', {}, document.media_type ?? '–'),
    element('td', { class: 'number' }, count(document.chunks, 'chunk')),
  )
}

export function documentView(parameters, context) {
  const box = element('div', {})
  context.load(box, () => whole((parameters.id ?? '').trim(), context))
  return box
}

async function whole(id, { store, report }) {
  const [found, [outline, chunks], links] = await Promise.all([
    get('document', { document_id: id }, exactJson),
    documentOf(id),
    linksOf(id),
  ])
  const [document] = found.results
  const text = wholeText(chunks, chunkActions)
  const select = (chunk) => showChunk(text, chunk)
  const metadata = JSON.stringify(document.metadata ?? {}, null, 2)
  const collection = [document.collection, document.version].filter(Boolean).join(' ')
  report(`${count(chunks.length, 'chunk')}, ${count(tokensOf(chunks), 'token')}`)
  return element(
    'div',
    { class: 'passage-view' },
    element(
      'header',
      { class: 'view-head' },
      element('h1', { tabindex: -1 }, document.title || document.uri || 'Document'),
      facts(
        source(document),
        collection && `collection ${collection}`,
        document.media_type,
        count(chunks.length, 'chunk'),
        count(tokensOf(chunks), 'token'),
      ),
      element(
        'div',
        { class: 'controls' },
        ...sqlCopies('outline', { document_id: id, store: store.store }, 'outline'),
        copyButton('Copy link', () => location.href),
      ),
      element('details', {}, element('summary', {}, 'Metadata'), element('pre', { class: 'prompt' }, metadata)),
    ),
    panel(
      'Sizes',
      'Each bar is a chunk, as high as its tokens. Choose one to see its text.',
      sizesChart(chunks, null, select),
    ),
    element(
      'div',
      { class: 'columns' },
      panel('Sections', null, sectionTree(outline, chunks, null, select)),
      panel('Text', 'Each box is a chunk. The numbers are lines of the source.', text),
    ),
    linkPanels(links),
  )
}
