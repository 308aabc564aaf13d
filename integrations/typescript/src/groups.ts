// The groups of arguments, which SQL takes as JSON. A test compares keys and words with the extension.

/** One value, or several of which any may match. */
export type OneOrMore<Value> = Value | readonly Value[]

export type Kind = 'prose' | 'code' | 'api-reference' | 'data'

/**
 * Conditions on documents and chunks. They apply before any limit, and null does not filter.
 *
 * @example
 * const code: Filter = { kind: ['code', 'api-reference'], uriPattern: 'src/%', metadata: { year: { $gte: 2020 } } }
 */
export interface Filter {
  /** Name of the collection. `''` is the one without a name. */
  collection?: OneOrMore<string> | null
  /** Version, also `latest`, or a pattern such as `8.*`. */
  version?: OneOrMore<string> | null
  uri?: OneOrMore<string> | null
  /** Pattern of LIKE for the uri. */
  uriPattern?: string | null
  /** Media type, such as `text/markdown` or `text/*`. */
  mediaType?: OneOrMore<string> | null
  kind?: OneOrMore<Kind> | null
  /** `lquery` for the path of the section, such as `Guide.*`. */
  path?: string | null
  /** Object that the metadata of document and chunk contain, or conditions on them. Its keys stay as they are. */
  metadata?: Record<string, unknown> | null
  /** Minimum cosine similarity to the embedding, -1 to 1. */
  minSimilarity?: number | null
  /** Whether documents whose source is missing are searched. Default: false. */
  includeOrphaned?: boolean | null
}

/**
 * Limits that replace those of the strategy: numbers of chunks, 0 to 1,000,000, unless another unit is named. null keeps
 * the limit of the strategy.
 *
 * @example
 * const wholeSection: Limits = { siblings: 'section', before: 2, windows: { code: 4 }, maxChunks: 20 }
 */
export interface Limits {
  parents?: number | null
  /** Siblings before a hit. */
  preceding?: number | null
  /** Siblings after a hit. */
  following?: number | null
  children?: number | null
  /** Chunks directly before a hit, in any section. */
  before?: number | null
  /** Chunks directly after a hit, in any section. */
  after?: number | null
  /** Overrides of `before` and `after` by the kind of the hit. */
  windows?: Partial<Record<Kind, number>> | null
  /** Whether siblings share their parent or their section. */
  siblings?: 'parent' | 'section' | null
  /** Bound of `before` and `after`. */
  within?: 'document' | 'parent' | 'section' | null
  /** Share of a section that hits must exceed for the strategy `merge`, 0 to 1. */
  threshold?: number | null
  /** Unit of the threshold. */
  countBy?: 'chunks' | 'tokens' | null
  /** Maximum number of hits and context together. */
  maxChunks?: number | null
  /** Maximum number of tokens of the context of each hit, 0 to 1,000,000. 0 means no limit. */
  maxPassageTokens?: number | null
  /** Share of the budget of `search` that is for context, 0 to 1. */
  contextShare?: number | null
  /** Share of the best hit's score, 0 to 1, below which a hit brings no context. */
  minScore?: number | null
  /** Number of sections to which links of a hit lead and that come as context, 0 to 1,000,000. */
  links?: number | null
}

/**
 * How hits are found and scored. `searchHits` makes no passages, so it has no `scoreBy`; `reassemble` gets its hits, so it
 * has only `scoreBy`.
 *
 * @example
 * const byWords: Ranking = { mode: 'text', candidates: 100, scoreBy: 'sum' }
 */
export interface Ranking {
  /** Default: what query and embedding allow. */
  mode?: 'vector' | 'text' | 'hybrid' | null
  /** Maximum number of hits of each leg, 0 to 1,000,000. */
  candidates?: number | null
  /** Weight of the vector leg, 0 to 1,000,000. Default: 1. */
  vectorWeight?: number | null
  /** Weight of the text leg, 0 to 1,000,000. Default: 1. */
  textWeight?: number | null
  /** Constant of reciprocal rank fusion, 0 to 1,000,000. null fuses by scores. */
  rrfK?: number | null
  /** The score of a passage from those of its hits. Default: `max`. */
  scoreBy?: 'max' | 'mean' | 'sum' | 'rank' | null
  /** Weight of the ratings of chunks for similar questions, 0 to 1. Default: 0. */
  feedback?: number | null
}

/**
 * The form of passages.
 *
 * @example
 * const withReasons: Output = { explain: true, marks: ['>>', '<<'], maxDistance: 'document' }
 */
export interface Output {
  /** Text between chunks that do not touch. Default: that of the media type. */
  separator?: string | null
  /** Whether text that is left out has a mark. */
  gaps?: 'comment' | 'none' | null
  /** Whether to add the imports that code uses. Default: false. */
  imports?: boolean | null
  /** Texts before and after each hit. */
  marks?: readonly [before: string, after: string] | null
  /** Whether to fill `explanation`. Default: false. */
  explain?: boolean | null
  /** Default: `score`. */
  orderBy?: 'score' | 'document' | null
  /** Maximum number of ordinals between hits that share a passage, 0 to 1,000,000, or `document`. Default: 3. */
  maxDistance?: number | 'document' | null
}
