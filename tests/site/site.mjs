// The site of the documentation on a server for files, with a second version, and a browser. All tests share them.
//
// ground/check/site-tests sets SITE, the folder of the version that was built.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startBrowser, withTabAt } from '../page/browser.mjs'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')
const TYPES = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

// An earlier version, which lacks a page.
export const EARLIER = '0.0.9'
export const NEW_PAGE = 'docs/guides/size.html'

// The version that was built, and its pages.
export const { version: VERSION, pages: PAGES } = JSON.parse(readFileSync(join(process.env.SITE, 'version.json'), 'utf8'))

// Writes a site that has the built version, as a released one, and the earlier one.
function writeSite() {
  const folder = mkdtempSync(join(tmpdir(), 'passage-site-'))
  for (const version of [EARLIER, VERSION]) {
    cpSync(process.env.SITE, join(folder, version), { recursive: true })
    if (version === EARLIER) rmSync(join(folder, version, NEW_PAGE))
    execFileSync(join(ROOT, 'ground/docs/versions'), [folder, version, '--released'])
  }
  return folder
}

// Serves the files of a folder, as any host of files does.
function serve(folder) {
  const server = createServer((request, response) => {
    let path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname)
    if (path.endsWith('/')) path += 'index.html'
    try {
      const content = readFileSync(join(folder, path))
      response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(content)
    } catch {
      response.writeHead(404).end()
    }
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

let shared = null

// Returns the folder, its address and the browser, which are started once.
export function site() {
  shared ??= (async () => {
    const folder = writeSite()
    const [server, browser] = await Promise.all([serve(folder), startBrowser()])
    const { port } = server.address()
    return { folder, server, browser, url: `http://127.0.0.1:${port}/`, fileUrl: `${pathToFileURL(folder).href}/` }
  })()
  return shared
}

export async function stopSite() {
  if (!shared) return
  const { browser, server, folder } = await shared
  await browser.close()
  server.close()
  rmSync(folder, { recursive: true })
}

// Opens a page of a version in a tab, and runs a test with it.
export async function withPage(name, test, { version = VERSION, asFile = false, ...options } = {}) {
  const { browser, url, fileUrl } = await site()
  await withTabAt(
    browser,
    asFile ? fileUrl : url,
    async (page) => {
      // The list of versions is the last thing that a page loads.
      await page.locator('.versions').waitFor()
      await test(page)
    },
    { hash: `${version}/${name}`, ...options },
  )
}

// Opens each page of the version, on a phone and in the dark, and returns what each contains.
export function readPages() {
  read ??= (async () => {
    const pages = new Map()
    await withPage(
      PAGES[0],
      async (page) => {
        const base = page.url().slice(0, -PAGES[0].length)
        for (const name of PAGES) {
          await page.goto(base + name)
          await page.locator('.versions').waitFor()
          pages.set(page.url(), { name, ...(await page.evaluate(readPage)) })
        }
      },
      { width: 375, height: 812, colorScheme: 'dark' },
    )
    return pages
  })()
  return read
}

let read = null

// Runs in the page.
function readPage() {
  const content = document.querySelector('.content')
  return {
    ids: [...document.querySelectorAll('[id]')].map((element) => element.id),
    links: [...document.querySelectorAll('a[href]:not(.versions a)')].map((link) => link.href),
    pictures: [...document.images].map((image) => [image.src, image.complete && image.naturalWidth > 0]),
    overflow: Math.max(document.documentElement.scrollWidth - innerWidth, content.scrollWidth - content.clientWidth),
  }
}
