// The types that the package declares, as its users get them.

import { readFileSync } from 'node:fs'

const FOLDER = new URL('../node_modules/pg-passage/dist/', import.meta.url)

function declaration(file: string): string {
  return readFileSync(new URL(`${file}.d.ts`, FOLDER), 'utf8').replace(/\/\*\*.*?\*\//gs, '')
}

function body(file: string, name: string): string {
  return new RegExp(`interface ${name}\\b[^{]*\\{(.*?)^\\}`, 'ms').exec(declaration(file))![1]!
}

/** Returns the properties of an interface with their types, in its order. */
export function properties(file: string, name: string): Map<string, string> {
  return new Map(
    Array.from(body(file, name).matchAll(/^ {4}(\w+)\??: (.*?);$/gms), ([, property, type]) => [property!, type!]),
  )
}

/** Returns the properties of an interface that each value has, sorted. */
export function required(file: string, name: string): string[] {
  return Array.from(body(file, name).matchAll(/^ {4}(\w+): /gm), ([, property]) => property!).sort()
}

/** Returns the words of a type: those in quotes, also of a type of the same file that it names. */
export function words(file: string, type: string): string[] {
  const named = type.replace(/\w+/g, (name) => new RegExp(`type ${name} = (.*?);`, 's').exec(declaration(file))?.[1] ?? name)
  return Array.from(named.matchAll(/'([^']+)'|"([^"]+)"/g), ([, single, double]) => (single ?? double)!).sort()
}
