// The state of a view as the fragment of the address, such as `#/search?query=USR1`, which makes it a link.

// Returns the name and the parameters of the view that a fragment names.
export function parseState(hash) {
  const [name, query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  return { name: name || 'search', parameters: Object.fromEntries(new URLSearchParams(query)) }
}

// Returns the fragment of a view. An empty value stays, because it differs from a default.
export function formatState(name, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined)
  const query = new URLSearchParams(given).toString()
  return query ? `#/${name}?${query}` : `#/${name}`
}
