// All tests of the page, in one process: they share a server and a browser.

import { after, before } from 'node:test'
import { environment, stopAll } from './environment.mjs'

import './quoting.mjs'
import './search.mjs'
import './rerank.mjs'
import './ratings.mjs'
import './passage.mjs'
import './compare.mjs'
import './documents.mjs'
import './evaluation.mjs'
import './copies.mjs'
import './token.mjs'
import './report.mjs'
import './accessibility.mjs'
// Last, because it adds hostile documents.
import './injection.mjs'

before(environment)
after(stopAll)
