//! Splits documents, embeds them and loads them into a pg_passage store.
