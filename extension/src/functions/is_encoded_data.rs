//! `is_encoded_data`: whether a chunk gets no embedding, because it is data in base64.

use pgrx::pg_extern;

#[pg_extern(immutable, parallel_safe, schema = "_passage")]
fn is_encoded_data(content: &str) -> bool {
    passage_split::is_encoded_data(content)
}
