// Controls that copy a call as SQL and as a psql command.
import { copyButton } from './dom.js'
import { COLUMNS, psqlCommand, statement } from './sql.js'

// Returns the two controls for a call of a function. `what` is part of their labels.
export function sqlCopies(name, call, what = '') {
  const sql = statement(COLUMNS[name], name, call)
  const label = (form) => ['Copy', what, form].filter(Boolean).join(' ')
  return [copyButton(label('as SQL'), () => sql), copyButton(label('as psql command'), () => psqlCommand(sql))]
}
