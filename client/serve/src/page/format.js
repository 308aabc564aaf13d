// Values as texts: numbers, lines, sections and sources.
import { element } from './dom.js'

export function count(number, noun) {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}

export function tokensOf(rows) {
  return rows.reduce((sum, row) => sum + (row.tokens ?? 0), 0)
}

// Returns chunks with tokens. A store of another program may not count them; then this is the extension's estimate.
export function withTokens(chunks) {
  const estimate = (text) => Math.ceil([...(text ?? '')].length / 4)
  return chunks.map((chunk) => ({ ...chunk, tokens: chunk.tokens ?? estimate(chunk.content) }))
}

// Returns the name of a chunk. A chunk of a view may have no ordinal.
export function chunkName(chunk) {
  return hasOrdinal(chunk) ? `Chunk ${chunk.ordinal}` : 'Chunk without ordinal'
}

// Returns the number of a chunk, for places without room for its name; an empty text if it has none.
export function chunkNumber(chunk) {
  return hasOrdinal(chunk) ? `#${chunk.ordinal}` : ''
}

function hasOrdinal(chunk) {
  return chunk.ordinal !== null && chunk.ordinal !== undefined
}

// Parses JSON with numbers that JavaScript cannot represent: as their digits, if the browser gives these.
export function exactJson(text) {
  const isExact = (value) => Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))
  return JSON.parse(text, (_, value, context) =>
    typeof value === 'number' && !isExact(value) && JSON.rawJSON && context ? JSON.rawJSON(context.source) : value,
  )
}

// Returns a score. Fused scores are small, scores by words are large.
export function score(value) {
  return value === null || value === undefined ? '' : value.toFixed(Math.abs(value) < 0.1 ? 4 : 3)
}

export function lines(row) {
  if (!row.first_line) return ''
  return row.first_line === row.last_line ? `line ${row.first_line}` : `lines ${row.first_line} to ${row.last_line}`
}

// Returns the score of a passage as a fact; null without one.
export function scoreFact(passage) {
  return passage.score === null ? null : `score ${score(passage.score)}`
}

// Returns the pages, slides or sheets of a converted document that a passage covers, as in `pages 12-13`; null for a text.
function pages(row) {
  for (const key of ['page', 'slide', 'sheet']) {
    const cited = (row.citations ?? []).filter((citation) => citation[key] !== undefined)
    if (cited.length === 0) continue
    const [first, last] = [cited[0][key], cited.at(-1)[`last_${key}`] ?? cited.at(-1)[key]]
    if (first === last) return `${key} ${first}`
    return typeof first === 'number' ? `${key}s ${first}-${last}` : `${key}s ${first} to ${last}`
  }
  return null
}

// Returns the place in the source, in the notation that editors open. Lines of converted Markdown are not in the source.
export function place(row) {
  const uri = row.uri ?? '(no uri)'
  const cited = pages(row)
  if (cited) return `${uri}, ${cited}`
  return row.first_line ? `${uri}:${row.first_line}-${row.last_line}` : uri
}

export function sectionText(section) {
  const titles = (section ?? []).map((title) => title ?? '')
  return titles.length ? titles.join(' › ') : '(no section)'
}

// Returns the last title of a section, for places without room for all of them.
export function lastTitle(section) {
  return section?.length ? (section[section.length - 1] ?? '') : '(no section)'
}

// Returns a uri, as a link only if it is a web address: a document could have the uri `javascript:...`.
export function source(row) {
  const text = place(row)
  return isWebAddress(row.uri)
    ? element('a', { class: 'uri', href: row.uri, target: '_blank', rel: 'noopener noreferrer' }, text)
    : element('span', { class: 'uri' }, text)
}

function isWebAddress(uri) {
  try {
    return ['http:', 'https:'].includes(new URL(uri).protocol)
  } catch {
    return false
  }
}

// Returns facts as a list, without the empty ones.
export function facts(...values) {
  return element(
    'ul',
    { class: 'facts' },
    values.filter(Boolean).map((value) => element('li', {}, value)),
  )
}
