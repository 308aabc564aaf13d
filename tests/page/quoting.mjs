// Literals of SQL and words of the shell: both return any text unchanged, and neither ends a command early.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { literal, psqlCommand, run, shellWord, sql, statement } from './environment.mjs'

const TEXTS = [
  'signal USR1',
  "it's",
  "'; DROP TABLE rag.chunks; --",
  'a\\b\\',
  '$(touch /nowhere) `id` $HOME "quoted" !!',
  ":name :'name' \\! id",
  'two\nlines\r\n\ttab',
  'SQL',
  '\nSQL\n',
  '-starts with a minus',
  '\u001b[31mred\u001b[0m\u0007',
  'Zürich 東京 😀 \u2028\u202e\u200b\ufeff',
  '%s %b \\0101 \\x41',
]

test('a literal of SQL returns its text, with either setting of standard_conforming_strings', () => {
  for (const setting of ['on', 'off']) {
    for (const text of TEXTS) {
      const printed = sql(
        `SET standard_conforming_strings = ${setting}; SET escape_string_warning = off; SELECT to_json(${literal(text)}::text)`,
      )
      assert.equal(JSON.parse(printed), text)
    }
  }
})

test('a word of the shell returns its text', () => {
  for (const text of TEXTS) {
    // A substitution removes line ends at the end, which a question does not need.
    assert.equal(run('sh', ['-c', `printf '%s.' ${shellWord(text)}`]), `${text.replace(/\n+$/, '')}.`)
  }
})

test('a copied text has no control character and no line that ends the here-document', () => {
  for (const text of TEXTS) {
    const command = psqlCommand(statement('*', 'search', { query: text }), text)
    assert.doesNotMatch(command, /[\u0000-\u0009\u000b-\u001f\u007f\u2028\u202e\u200b\ufeff]/)
    assert.equal(command.split('\n').filter((line) => line === 'SQL').length, 1)
  }
})
