// Ratings: two buttons that say whether a passage answers the question.
import { write } from './api.js'
import { button, element } from './dom.js'

// Returns the buttons for a passage, or nothing if the server takes no ratings.
export function ratingButtons(passage, question, store) {
  if (!store.allows_ratings || !question) return null
  const status = element('span', { class: 'note', role: 'status' })
  const buttons = [
    ['👍', 'Answers the question', 1],
    ['👎', 'Does not answer the question', -1],
  ].map(([sign, label, rating]) =>
    button(sign, () => rate(rating), { 'aria-label': label, 'aria-pressed': 'false', title: label }),
  )
  // A second click on a button withdraws the rating.
  const rate = async (rating) => {
    const [up, down] = buttons
    const isPressed = (rating > 0 ? up : down).getAttribute('aria-pressed') === 'true'
    const value = isPressed ? 0 : rating
    try {
      await write('rate', { query: question, chunk_id: passage.hit_ids[0], rating: value })
      up.setAttribute('aria-pressed', String(value > 0))
      down.setAttribute('aria-pressed', String(value < 0))
      status.textContent = value === 0 ? 'Withdrawn' : 'Stored'
    } catch (error) {
      status.textContent = [error.message, error.hint].filter(Boolean).join('. ')
    }
  }
  return element('span', { class: 'ratings' }, buttons, status)
}
