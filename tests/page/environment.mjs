// Shared by all tests of the page: the database, the server `passage serve`, and a browser.
//
// ground/check/page-tests sets DATABASE_URL, PG_CONFIG, PASSAGE_MODEL and PASSAGE_CLIENT.

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startBrowser } from './browser.mjs'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')
export const CLIENT = process.env.PASSAGE_CLIENT
const BIN = execFileSync(process.env.PG_CONFIG, ['--bindir'], { encoding: 'utf8' }).trim()

// The module that writes SQL and commands. Older versions of Node read a module only from a name that ends with mjs.
const module = readFileSync(join(ROOT, 'client/serve/src/page/sql.js')).toString('base64')
export const { literal, psqlCommand, shellWord, statement } = await import(`data:text/javascript;base64,${module}`)

// The environment of the commands that the page copies: they name `psql` and `passage` without a path.
export const ENVIRONMENT = { ...process.env, PATH: `${BIN}:${dirname(CLIENT)}:${process.env.PATH}` }

// Returns what a command prints.
export function run(command, commandArguments, options = {}) {
  return execFileSync(command, commandArguments, { encoding: 'utf8', env: ENVIRONMENT, ...options })
}

// Runs SQL and returns what psql prints without alignment.
export function sql(statement) {
  return run('psql', ['-X', '-A', '-t', '-q', '-v', 'ON_ERROR_STOP=1', process.env.DATABASE_URL], {
    input: statement,
  }).trimEnd()
}

// Returns the rows of a query.
export function rows(query) {
  return JSON.parse(
    sql(`SELECT coalesce(json_agg(row_to_json(result)), '[]') FROM (${query.trim().replace(/;$/, '')}) AS result`),
  )
}

// Loads the documents of the project's own tests.
export function loadDocuments() {
  run(CLIENT, ['init'], { stdio: 'ignore' })
  const fixtures = { cwd: join(ROOT, 'tests/fixtures') }
  run(CLIENT, ['ingest', '--quiet', '--collection', 'handbook', 'handbook'], fixtures)
  run(CLIENT, ['ingest', '--quiet', '--collection', 'tools', 'tools'], fixtures)
}

// Starts a server on a free port, and returns its address and a function that stops it.
export async function startServer(environment = {}, serverArguments = []) {
  const server = spawn(CLIENT, ['serve', '--listen', '127.0.0.1:0', ...serverArguments], {
    env: { ...ENVIRONMENT, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let printed = ''
  const url = await new Promise((resolve, reject) => {
    server.stderr.on('data', (data) => {
      printed += data
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)
      if (address) resolve(`${address[0]}/`)
    })
    server.on('exit', () => reject(new Error(`the server ended: ${printed}`)))
  })
  return { url, stop: () => server.kill() }
}

let shared = null

// Returns the server and the browser, which are started once.
export function environment() {
  shared ??= (async () => {
    loadDocuments()
    const folder = mkdtempSync(join(tmpdir(), 'passage-page-'))
    const [server, browser] = await Promise.all([startServer(), startBrowser()])
    return { url: server.url, browser, folder, server }
  })()
  return shared
}

export async function stopAll() {
  if (!shared) return
  const { browser, server, folder } = await shared
  await browser.close()
  server.stop()
  rmSync(folder, { recursive: true })
}
