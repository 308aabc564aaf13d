// All tests of the site, in one process: they share a server and a browser.

import { after } from 'node:test'
import { stopSite } from './site.mjs'

import './sources.mjs'
import './versions.mjs'
import './reading.mjs'
import './pages.mjs'

after(stopSite)
