// Adds a list of versions to the menu bar, and a note to pages of a version that is not the current one.
//
// Each version of the site is a folder with the version's name. Beside these folders is versions.js, which
// `ground/docs/versions` writes. It is a script and not JSON, because a page that is opened as a file may not read other files.

{
  const folder = new URL(path_to_root || '.', location.href)
  const version = decodeURIComponent(folder.pathname.split('/').at(-2))
  const page = location.pathname.slice(folder.pathname.length)

  // Returns the address of this page in another version, or of its first page if it has no such page.
  const addressIn = (other) =>
    new URL(`../${other.version}/${other.pages.includes(page) ? page : 'index.html'}`, folder).href

  const label = (other) => (other.isReleased ? other.version : `${other.version} (unreleased)`)

  const addList = (versions, own) => {
    const list = document.createElement('details')
    list.className = 'versions'
    const summary = document.createElement('summary')
    summary.textContent = own ? label(own) : version
    summary.setAttribute('aria-label', `Version ${summary.textContent}`)
    const links = document.createElement('ul')
    for (const other of versions) {
      const link = document.createElement('a')
      link.href = addressIn(other)
      link.textContent = label(other)
      if (other === own) link.setAttribute('aria-current', 'page')
      links.appendChild(document.createElement('li')).append(link)
    }
    list.append(summary, links)
    document.addEventListener('click', (event) => {
      if (!list.contains(event.target)) list.open = false
    })
    list.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return
      list.open = false
      summary.focus()
    })
    document.querySelector('.right-buttons').append(list)
    const title = document.querySelector('.menu-title')
    title.textContent = title.textContent.replace(` ${version}`, '')
  }

  const addNote = (own, current) => {
    const note = document.createElement('p')
    note.className = 'version-note'
    const link = document.createElement('a')
    link.href = addressIn(current)
    link.textContent = `Version ${current.version}`
    note.append(
      `This page describes version ${version}${own?.isReleased ? '' : ', which is not released'}. `,
      link,
      ' is the current one.',
    )
    document.querySelector('main').prepend(note)
  }

  const script = document.createElement('script')
  script.src = new URL('../versions.js', folder).href
  script.addEventListener('load', () => {
    const { versions } = window
    const current = versions.find((other) => other.isReleased) ?? versions[0]
    const own = versions.find((other) => other.version === version)
    addList(versions, own)
    if (own !== current) addNote(own, current)
  })
  document.head.append(script)
}
