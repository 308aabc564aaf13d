/*!
The SQL functions, a file for each, which is named after it.

A function parses its arguments, reads from a store, calls `passage_core` to decide, and returns rows.
*/

mod administration;
mod adopted_rows;
mod adopted_table;
mod assemble;
mod expand_context;
mod explain_context;
mod expression_columns;
mod fragments;
mod ingest;
mod is_encoded_data;
mod iso_instant;
mod keep_adopted;
mod likeness;
mod listed_chunks;
mod outline;
mod reassemble;
mod search;
mod search_hits;
mod section;
mod shard_rows;
mod split;
mod step_plan;
mod strategies;
mod template_parts;
