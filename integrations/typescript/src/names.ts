// SQL writes `max_tokens`, TypeScript `maxTokens`. Every name is mapped here, by the same rule.

/** Returns the name in SQL of an argument or a key. A name of SQL stays as it is. */
export function toSql(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Returns the name in TypeScript of a column or a key. */
export function fromSql(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns an object whose own keys are mapped, and whose values are the same objects. */
export function mapKeys(object: object, map: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [map(name), value]))
}
