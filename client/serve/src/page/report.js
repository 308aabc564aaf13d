// The file of `passage context --html`: the view of a passage, drawn from data in the file.
import { copyButton, element } from './dom.js'
import { withTokens } from './format.js'
import { passageView } from './passage.js'
import { sqlCopies } from './sql_copies.js'

function draw() {
  const view = JSON.parse(document.getElementById('view').textContent)
  view.chunks = withTokens(view.chunks)
  const controls = [...sqlCopies('reassemble', view.call), copyButton('Copy text', () => view.passage.content)]
  document.title = `${view.passage.title ?? view.passage.uri ?? 'Passage'} · pg_passage`
  document.querySelector('main').replaceChildren(passageView(view, controls), element('p', { class: 'note' }, view.origin))
}

draw()
