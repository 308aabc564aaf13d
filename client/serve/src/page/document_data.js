// Requests for a document, and the notes of an answer, for several views.
import { get, post } from './api.js'
import { element } from './dom.js'
import { chunkName, withTokens } from './format.js'
import { formatState } from './state.js'

// Returns the outline and the chunks of a document.
export async function documentOf(document_id, hit_ids = []) {
  const call = hit_ids.length ? { document_id, hit_ids } : { document_id }
  const [outline, chunks] = await Promise.all([post('outline', call), chunksOf(document_id)])
  return [outline.results, chunks]
}

// Returns all chunks of a document. The server returns those of a long one in parts.
export async function chunksOf(document_id) {
  const chunks = []
  for (let after = null; ; ) {
    const { results, next } = await get('chunks', { document_id, after })
    chunks.push(...withTokens(results))
    if (next === null || next === undefined) return chunks
    after = next
  }
}

// Returns a link to the context of a chunk.
export function chunkActions(chunk) {
  return element(
    'a',
    {
      class: 'action',
      href: formatState('context', { chunk: chunk.id }),
      'aria-label': `Context of ${chunkName(chunk).toLowerCase()}`,
    },
    'Context',
  )
}

// Returns the notes of answers, each once.
export function notesOf(notes = []) {
  const shown = new Map(notes.map((note) => [note.message, note]))
  return [...shown.values()].map((note) =>
    element('p', { class: 'message note' }, note.message, note.hint ? element('span', { class: 'hint' }, note.hint) : null),
  )
}
