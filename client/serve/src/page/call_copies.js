// Controls that copy a search as SQL and as a psql command.
import { post } from './api.js'
import { copyButton } from './dom.js'
import { COLUMNS, EMBEDDING_VARIABLE, psqlCommand, statement } from './sql.js'

// Returns the question if the server embeds it for a search, else null.
export function questionOf(call, store) {
  return store.embeds_queries && call.query && call.ranking?.mode !== 'text' ? call.query : null
}

// Returns the controls that copy a call as SQL and as a psql command.
//
// SQL gets the embedding of the question as numbers; the command lets `passage embed` make it.
export function callCopies(name, call, question, store) {
  const written = (embedding) => {
    const { query, ...rest } = call
    // A search by meaning alone takes no words.
    const first = query === undefined ? {} : { query, ...(embedding && { embedding }) }
    return statement(COLUMNS[name], name, { ...first, ...rest, store: store.store })
  }
  const sql = async () => {
    if (question === null) return written(null)
    const answer = await post('v1/embeddings', { input: question, model: store.model })
    return written(answer.data[0].embedding)
  }
  const command = () => psqlCommand(written(question === null ? null : EMBEDDING_VARIABLE), question)
  return [copyButton('Copy as SQL', sql), copyButton('Copy as psql command', command)]
}
