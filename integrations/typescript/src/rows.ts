// The rows that the SQL functions return. A test compares the properties with the columns.

/** Bytes of the source, from 0: the first one, and the one after the last. */
export interface Span {
  start: number
  end: number
}

/** The relation of a chunk to its hit. */
export type Role = 'hit' | 'parent' | 'ancestor' | 'preceding' | 'following' | 'child' | 'adjacent' | 'section' | 'linked'

/** The place of one chunk in the text of a passage. */
export interface Citation {
  chunkId: string
  /** Position of the chunk in its document, from 0. */
  ordinal: number
  role: Role
  /** First byte of the chunk in `content` of the passage, in UTF-8. */
  start: number
  /** Byte after the last one. */
  end: number
  /** Lines of the source, from 1. */
  firstLine: number | null
  lastLine: number | null
  /** Place in a converted document, and the last one if the chunk ends in another. */
  page?: number
  lastPage?: number
  slide?: number
  lastSlide?: number
  sheet?: string
  lastSheet?: string
}

/** Why expansion kept a chunk, or left it out: the columns of `passage.explain_context`. */
export interface Explanation {
  /** Rank of the hit, from 1. */
  hit: number
  kept: boolean
  role: Role
  /** The limit or the unit that selected the chunk. */
  rule: string
  /** Ordinal of the chunk minus that of its hit. */
  distance: number
  ordinal: number
  section: string[]
  tokens: number
  /** Tokens of all kept chunks up to this one. */
  tokensSoFar: number
  /** The limit that removed the chunk. null for a kept chunk. */
  cutBy: string | null
  chunkId: string
  hitId: string
  sourceId: string | null
}

/** A row of `search` or `reassemble`: a readable text, and where it comes from. */
export interface Passage {
  /** From 1. */
  rank: number
  /** Higher is better; comparable only within one result. */
  score: number | null
  documentId: string
  collection: string | null
  version: string | null
  uri: string | null
  title: string | null
  mediaType: string | null
  /** Titles from the root down, which all its chunks share. */
  section: string[] | null
  content: string
  tokens: number
  /** In the order of the document. */
  chunkIds: string[]
  /** Empty for a section to which a link leads; it follows the passage with the link. */
  hitIds: string[]
  /** Lines of the source, from 1. */
  firstLine: number | null
  lastLine: number | null
  spans: Span[] | null
  citations: Citation[]
  /** Whether a limit removed context. */
  truncated: boolean
  complete: boolean
  /** Metadata of the document, as it was written. */
  metadata: Record<string, unknown>
  /** Ids of its chunks in an adopted table. */
  sourceIds: string[] | null
  /** With `output: { explain: true }`. */
  explanation: Explanation[] | null
}

/** A row of `searchHits` or `similar`: a chunk that answers a query, or resembles another one. */
export interface Hit {
  /** From 1. */
  rank: number
  chunkId: string
  documentId: string
  uri: string | null
  title: string | null
  section: string[] | null
  /** Higher is better; comparable only within one result. */
  score: number
  /** null if the embedding did not find the chunk. */
  vectorRank: number | null
  vectorScore: number | null
  /** null if the words did not find the chunk. */
  textRank: number | null
  textScore: number | null
  tokens: number
  content: string
  /** Id of the chunk in an adopted table. */
  sourceId: string | null
}

/** A row of `expandContext` or `expandContexts`: a hit, or a chunk of its context. */
export interface ContextChunk {
  chunkId: string
  documentId: string
  /** Position in the document, from 0. */
  ordinal: number
  role: Role
  /** Ordinal of the chunk minus that of its hit. */
  distance: number
  hitId: string
  score: number | null
  decayedScore: number | null
  level: number | null
  section: string[] | null
  /** The section as ltree. */
  path: string | null
  tokens: number
  content: string
  sourceId: string | null
  /** Tokens of context that were left out for its hit. */
  cut: number
}

/** The chunk before or after a fragment, or its parent. */
export interface Related {
  relation: 'previous' | 'next' | 'parent'
  chunkId: string
  firstLine: number | null
  lastLine: number | null
  /** The beginning of its text. */
  preview: string
}

/** A row of `fragments`: whole lines of a document. */
export interface Fragment {
  fragmentId: string
  documentId: string
  uri: string | null
  title: string | null
  mediaType: string | null
  score: number
  content: string
  /** Lines of the source, from 1. */
  firstLine: number | null
  lastLine: number | null
  tokens: number
  strategyUsed: string
  /** Reasons for the rank, such as `match`, `lineCount` and `tokenReduction`. */
  signals: Record<string, unknown>
  /** Nearest line before the fragment that is not blank. */
  before: string | null
  after: string | null
  related: Related[]
  /** Metadata of the document, as it was written. */
  metadata: Record<string, unknown>
  sourceIds: string[] | null
}

/** A row of `outline`: a section of a document. */
export interface OutlineSection {
  /** The title, indented by two spaces for each level. */
  outline: string
  section: string[]
  level: number
  chunks: number
  hits: number
  tokens: number
  firstOrdinal: number
  lastOrdinal: number
  firstLine: number | null
  lastLine: number | null
}

/** A row of `links` or `backlinks`: a link of a document, and where it leads. */
export interface Link {
  kind: 'link' | 'wiki' | 'import' | 'include'
  text: string
  fromChunk: string
  fromDocument: string
  fromUri: string | null
  fromTitle: string | null
  /** null if the store lacks the document or the section. */
  toChunk: string | null
  /** null if the store lacks the document. */
  toDocument: string | null
  /** Uri of that document, else the target. */
  toUri: string | null
  toTitle: string | null
  /** Anchor, heading or imported name, as written. Empty without one. */
  toSection: string
}

/** A source of a prompt: its number and label, and what the passage has of the others. */
export interface PromptSource {
  number: number
  /** Uri with lines, or with pages, slides or sheets of a converted document. */
  label: string
  documentId?: string
  collection?: string
  version?: string
  uri?: string
  title?: string
  section?: string[]
  firstLine?: number
  lastLine?: number
  chunkIds?: string[]
  sourceIds?: string[]
}

/** The row of `prompt`: numbered sources as a text for a language model, and the list of them. */
export interface Prompt {
  prompt: string
  /** In the order of the passages. */
  sources: PromptSource[]
}

/** A row of `checkCitations`: a source of an answer, or a number without a source. */
export interface CheckedCitation {
  number: number
  outcome: 'cited' | 'uncited' | 'unknown'
  /** Number of citations in the answer. */
  mentions: number
  /** null for an unknown number. */
  source: PromptSource | null
}
