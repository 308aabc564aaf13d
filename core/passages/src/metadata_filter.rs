/*!
Conditions on metadata, in the dialect of `PGVector` in LangChain and most vector stores.

```text
{"lang": "en", "year": {"$gte": 2020}, "$or": [{"team": {"$in": ["db", "web"]}}, {"draft": {"$exists": false}}]}
```

A value without an operator is containment, as PostgreSQL's `@>` has it: `{"tags": ["a"]}` also finds `["a", "b"]`. An
object with operators tests the value of its key, and an object of an object that has operators tests a nested value.

A condition is true, false or unknown, as in SQL. It is unknown if the key is missing, or if a value of another type is
ordered, and only true selects. So `$ne`, `$nin` and `$not` do not find a chunk without the key; `{"$exists": false}`
does. Values compare by their type in the filter:

| value in the filter | compares with |
|---|---|
| number | numbers |
| text that is an ISO 8601 date | texts that are dates, as points in time |
| other text | texts |
| `true`, `false`, `null`, list, object | equality alone |

[`parse`](MetadataFilter::parse) separates the [`Condition`], which determines a statement, from its [`Operand`]s, which
become parameters. So the text of a statement has neither keys nor values.
*/

mod builder;
mod condition;
mod instant;
mod operands;
mod parse;
#[cfg(test)]
mod tests;

pub use condition::{
    Condition, MAX_CONDITIONS, MAX_LEVELS, MAX_VALUES, OPERATORS, Order, Test, ValueKind,
};
pub use instant::{date_of, iso_instant};
pub use operands::Operand;
pub use parse::MetadataFilter;
