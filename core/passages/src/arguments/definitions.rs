//! The groups of arguments with their keys.

use super::group::ArgumentType::{
    Boolean, Limit, LimitOr, Number, Object, Offsets, Text, Texts, TwoTexts, Word,
};
use super::group::{ArgumentGroup, ArgumentKey, ArgumentType};
use crate::gaps::GapStyle;
use crate::reassemble::{OrderBy, ScoreBy};
use crate::search::{MAX_WEIGHT, SearchMode};
use crate::strategy::{CountBy, Siblings, Within};

/// All groups.
pub const GROUPS: [&ArgumentGroup; 5] = [&FILTER, &LIMITS, &RANKING, &OUTPUT, &SPLITTING];

/// The chunks that are searched.
pub static FILTER: ArgumentGroup = ArgumentGroup {
    name: "filter",
    meaning: "the chunks that are searched; all given filters must hold",
    keys: &[
        key("collection", Texts, "name of the collection"),
        key(
            "version",
            Texts,
            "version, latest for the highest of each collection, or a pattern such as 8.*",
        ),
        key("uri", Texts, "uri of the document"),
        key("uri_pattern", Text, "pattern of LIKE for the uri"),
        key("media_type", Texts, "media type of the document, also text/*"),
        key("kind", Texts, "prose, code, api-reference or data"),
        key("path", Text, "lquery for the path of the section"),
        key(
            "metadata",
            Object,
            "object that the metadata of document and chunk together contain, or conditions such as {\"year\": {\"$gte\": 2020}}",
        ),
        key("min_similarity", Number(-1.0, 1.0), "least cosine similarity to the embedding"),
        key(
            "include_orphaned",
            Boolean,
            "whether documents whose source is missing are searched, false by default",
        ),
    ],
};

/// The limits of a strategy.
pub static LIMITS: ArgumentGroup = ArgumentGroup {
    name: "limits",
    meaning: "limits that replace those of the strategy",
    keys: &[
        key("parents", Limit, "number of parents"),
        key("preceding", Limit, "number of siblings before a hit"),
        key("following", Limit, "number of siblings after a hit"),
        key("children", Limit, "number of children"),
        key("before", Limit, "number of chunks before a hit"),
        key("after", Limit, "number of chunks after a hit"),
        key(
            "windows",
            Object,
            "numbers of chunks before and after a hit by its kind, such as {\"code\": 4}",
        ),
        key(
            "siblings",
            Word(Siblings::NAMES),
            "whether siblings have the same parent or the same section",
        ),
        key(
            "within",
            Word(Within::NAMES),
            "the part of the document that before and after do not leave",
        ),
        key("threshold", Number(0.0, 1.0), "share of a section that hits must exceed for merge"),
        key("count_by", Word(CountBy::NAMES), "what the threshold counts"),
        key("max_chunks", Limit, "maximum number of hits and context chunks"),
        key(
            "max_passage_tokens",
            Limit,
            "maximum number of tokens of the context of a hit, 0 for no limit",
        ),
        key(
            "context_share",
            Number(0.0, 1.0),
            "share of the budget of search that is kept for context, by default 0.5 if the call names a strategy other than auto, a number of chunks or links, else 0",
        ),
        key(
            "min_score",
            Number(0.0, 1.0),
            "share of the best hit's score below which a hit brings no context, 0 by default",
        ),
        key(
            "links",
            Limit,
            "number of sections to which links of a hit lead and that come as context, 0 by default",
        ),
    ],
};

/// How hits are found and scored.
pub static RANKING: ArgumentGroup = ArgumentGroup {
    name: "ranking",
    meaning: "how hits are found and scored",
    keys: &[
        key(
            "mode",
            Word(SearchMode::NAMES),
            "the rankings to use, by default those that query and embedding allow",
        ),
        key(
            "candidates",
            Limit,
            "hits of each ranking, by default three times the number of results and at least 30",
        ),
        key("vector_weight", Number(0.0, MAX_WEIGHT), "weight of the vector ranking, 1 by default"),
        key("text_weight", Number(0.0, MAX_WEIGHT), "weight of the text ranking, 1 by default"),
        key("rrf_k", Limit, "constant of reciprocal rank fusion; by default scores are fused"),
        key(
            "score_by",
            Word(ScoreBy::NAMES),
            "the score of a passage from those of its hits, max by default",
        ),
        key(
            "feedback",
            Number(0.0, 1.0),
            "weight of the ratings of chunks for similar questions, 0 by default",
        ),
    ],
};

/// How passages are formed and written.
pub static OUTPUT: ArgumentGroup = ArgumentGroup {
    name: "output",
    meaning: "how passages are formed and written",
    keys: &[
        key(
            "separator",
            Text,
            "text between chunks that do not touch, by default that of the media type",
        ),
        key(
            "gaps",
            Word(GapStyle::NAMES),
            "comment marks omitted text, by a comment in code and data and by [...] in prose; none does not; by default code and prose are marked",
        ),
        key("imports", Boolean, "whether to add the imports that a passage uses, false by default"),
        key("marks", TwoTexts, "texts before and after each hit, none by default"),
        key("explain", Boolean, "whether to return the column explanation, false by default"),
        key("order_by", Word(OrderBy::NAMES), "the order of passages, score by default"),
        key(
            "max_distance",
            LimitOr("document"),
            "maximum number of ordinals between hits of one passage, 3 by default; document makes one passage of a document",
        ),
    ],
};

/// How a document is split.
pub static SPLITTING: ArgumentGroup = ArgumentGroup {
    name: "splitting",
    meaning: "how a document is split, with sizes in characters; a size that is not given keeps its proportion to the others",
    keys: &[
        key("max_size", Limit, "maximum size of a chunk, 1000 by default"),
        key("preferred_size", Limit, "preferred size of a chunk, 600 by default"),
        key("min_size", Limit, "size below which chunks are merged if possible, 200 by default"),
        key(
            "max_with_preamble",
            Limit,
            "maximum size of a chunk with its preamble, 1250 by default",
        ),
        key(
            "overlap",
            Limit,
            "size of the end of the previous chunk that the preamble repeats, 0 by default",
        ),
        key(
            "split_at",
            Text,
            "regular expression for the lines before which the text is divided, such as ^===; none by default",
        ),
        key(
            "split_offsets",
            Offsets,
            "offsets at which the text is divided, in bytes of the text as it is stored; none by default",
        ),
    ],
};

const fn key(name: &'static str, value: ArgumentType, meaning: &'static str) -> ArgumentKey {
    ArgumentKey { name, value, meaning }
}
