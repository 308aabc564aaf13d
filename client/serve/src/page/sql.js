// SQL statements and psql commands that return what a view shows.
//
// A question can come from a link of somebody else, and the commands are pasted into terminals. So a literal has
// no control characters and no line ends: it writes them as escapes.

const TYPES = {
  chunk_ids: 'uuid[]',
  hit_ids: 'uuid[]',
  chunk_id: 'uuid',
  document_id: 'uuid',
  scores: 'double precision[]',
  embedding: 'real[]',
  limits: 'jsonb',
  filter: 'jsonb',
  ranking: 'jsonb',
  output: 'jsonb',
}

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/

// Returns a text as a literal of SQL.
export function literal(text) {
  const quoted = text.replaceAll("'", "''")
  if (!HIDDEN.test(text) && !text.includes('\\')) return `'${quoted}'`
  const escaped = [...quoted.replaceAll('\\', '\\\\')].map((char) => {
    if (!HIDDEN.test(char)) return char
    return char === '\n' ? '\\n' : `\\u${char.codePointAt(0).toString(16).padStart(4, '0')}`
  })
  return `E'${escaped.join('')}'`
}

function value(name, given) {
  const cast = TYPES[name] ? `::${TYPES[name]}` : ''
  if (typeof given === 'boolean') return String(given)
  if (typeof given === 'number') return String(given) + cast
  if (Array.isArray(given)) return literal(`{${given.join(',')}}`) + cast
  return literal(typeof given === 'object' ? JSON.stringify(given) : given) + cast
}

// Returns a call of a function of the extension as a statement. A value that is an object with `sql` is an expression.
export function statement(columns, name, given) {
  const entries = Object.entries(given).filter(([, input]) => input !== null && input !== undefined)
  const argument = ([key, input]) => `    ${key} => ${input.sql ?? value(key, input)}`
  return `SELECT ${columns}\nFROM passage.${name}(\n${entries.map(argument).join(',\n')}\n);`
}

// Returns a text as one word of a POSIX shell.
export function shellWord(text) {
  if (!HIDDEN.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  // `printf` makes the hidden characters, so that none of them reaches a terminal.
  const bytes = [...new TextEncoder().encode(text)]
  const isPlain = (byte) => byte >= 32 && byte < 127 && byte !== 39 && byte !== 92
  return `"$(printf '%b' '${bytes.map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : `\\0${byte.toString(8).padStart(3, '0')}`)).join('')}')"`
}

// Returns a command that runs a statement in psql, with the embedding of a question if there is one.
//
// A statement has no line that ends the here-document, because literals have no line ends.
export function psqlCommand(sql, question = null) {
  const embedding = question === null ? '' : ` -v embedding="$(passage embed --query=${shellWord(question)})"`
  return `psql -X${embedding} "$DATABASE_URL" <<'SQL'\n${sql}\nSQL\n`
}

// The embedding that psqlCommand passes: `passage embed` writes it as pgvector does, in brackets.
export const EMBEDDING_VARIABLE = { sql: "translate(:'embedding', '[]', '{}')::real[]" }

export const COLUMNS = {
  search: 'rank, score, uri, section, first_line, last_line, tokens, content',
  search_hits: 'rank, score, uri, section, vector_rank, text_rank, tokens, chunk_id',
  reassemble: 'rank, score, uri, section, first_line, last_line, tokens, content',
  explain_context: 'hit, kept, role, rule, distance, section, tokens, tokens_so_far, cut_by, chunk_id',
  outline: 'outline, chunks, hits, tokens, first_line, last_line',
}
