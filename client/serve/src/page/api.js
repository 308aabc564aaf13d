// Requests to the server. Paths are relative, so the page also works below the prefix of a proxy.
import { button, element } from './dom.js'

const TOKEN = 'passage-token'

// Answers of the last views: going back shows them again without new requests.
const answers = new Map()
const KEPT_ANSWERS = 40
const KEPT_MILLISECONDS = 60_000

// Shows a view with new answers, also the same one again: documents may have changed, or the server may answer again.
export function refresh(hash = location.hash) {
  answers.clear()
  if (location.hash === hash) dispatchEvent(new Event('hashchange'))
  else location.hash = hash
}

// An answer that is an error, with what to do.
export class RequestError extends Error {
  constructor({ message, detail, hint, code }, status) {
    super(message ?? `the server answered with status ${status}`)
    this.detail = detail
    this.hint = hint
    this.code = code
  }
}

// Returns the answer of a GET request, as `parse` reads it.
export function get(path, parameters = {}, parse = JSON.parse) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== '')
  const query = new URLSearchParams(given).toString()
  return request(query ? `${path}?${query}` : path, {}, parse)
}

// Returns the answer of a POST request with named arguments.
export function post(path, given) {
  return request(path, withBody(given))
}

// Sends a POST request that writes. Views then get new answers.
export function write(path, given) {
  answers.clear()
  return send(path, withBody(given), JSON.parse)
}

function withBody(given) {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(given) }
}

function request(path, options, parse = JSON.parse) {
  const key = `${path} ${options.body ?? ''}`
  const known = answers.get(key)
  if (known && Date.now() - known.at < KEPT_MILLISECONDS) return known.answer
  const answer = send(path, options, parse)
  answers.delete(key)
  answers.set(key, { answer, at: Date.now() })
  answer.catch(() => answers.delete(key))
  if (answers.size > KEPT_ANSWERS) answers.delete(answers.keys().next().value)
  return answer
}

async function send(path, options, parse) {
  const token = sessionStorage.getItem(TOKEN)
  const headers = token ? { ...options.headers, Authorization: `Bearer ${token}` } : options.headers
  let response
  try {
    response = await fetch(path, { ...options, headers, cache: 'no-store' })
  } catch {
    throw new RequestError({
      message: 'the server does not answer',
      hint: 'Check that passage serve runs, then reload the page.',
    })
  }
  if (response.status === 401) {
    await askToken(token)
    return send(path, options, parse)
  }
  const body = await response
    .text()
    .then((text) => parse(text))
    .catch(() => ({}))
  if (!response.ok) throw new RequestError(body.error ?? {}, response.status)
  return body
}

// One dialog for all requests that wait for a token.
let asking = null

// Asks for the token, unless another request has got one since `refused` was sent.
function askToken(refused) {
  if (sessionStorage.getItem(TOKEN) !== refused) return null
  asking ??= new Promise((resolve) => {
    const input = element('input', { type: 'password', autocomplete: 'off', required: true, id: 'token' })
    const submit = (event) => {
      event.preventDefault()
      sessionStorage.setItem(TOKEN, input.value.trim())
      dialog.remove()
      asking = null
      resolve()
    }
    const dialog = element(
      'dialog',
      { 'aria-labelledby': 'token-title', cancel: (event) => event.preventDefault() },
      element('h2', { id: 'token-title' }, 'Token'),
      element(
        'p',
        {},
        refused ? 'The server rejected the token.' : 'This server requires its token.',
        ' This tab keeps it until you close it.',
      ),
      element(
        'form',
        { submit },
        element('label', { for: 'token' }, 'Token'),
        input,
        button('Continue', () => {}, { type: 'submit', class: 'primary' }),
      ),
    )
    document.body.append(dialog)
    dialog.showModal()
  })
  return asking
}
