//! The arguments of a search.

use super::{Mode, Search};
use crate::store::arguments::Arguments;
use crate::store::{Error, holds_nul};

impl<'a> Arguments<'a> {
    /// Returns what `passage.search` is called with.
    ///
    /// # Errors
    ///
    /// [`Error::Nul`] if a text holds one.
    pub(in crate::store) fn of_search(search: &'a Search, store: &'a str) -> Result<Self, Error> {
        let mut arguments = Self::default();
        arguments.question(search)?;
        arguments.number("max_passages", search.limit);
        arguments.text("strategy", search.strategy.as_deref())?;
        arguments.number("max_tokens", search.max_tokens);
        arguments.number("max_chunks", search.max_chunks);
        arguments.text("order_by", search.order_by.as_deref())?;
        arguments.text("store", Some(store))?;
        Ok(arguments)
    }

    /// Returns what `passage.search_hits` is called with for the same search.
    ///
    /// # Errors
    ///
    /// As for a search.
    pub(in crate::store) fn of_hits(search: &'a Search, store: &'a str) -> Result<Self, Error> {
        let mut arguments = Self::default();
        arguments.question(search)?;
        arguments.number("max_hits", search.limit);
        arguments.text("store", Some(store))?;
        Ok(arguments)
    }

    /// Adds what is asked, of which chunks.
    fn question(&mut self, search: &'a Search) -> Result<(), Error> {
        self.text("query", Some(&search.question))?;
        self.add("embedding", search.embedding.as_deref());
        self.add("mode", search.mode.map(Mode::name));
        self.number("candidates", search.candidates);
        let filters = &search.filters;
        self.text("collection", filters.collection.as_deref())?;
        self.text("version", filters.version.as_deref())?;
        self.text("uri_pattern", filters.uri_pattern.as_deref())?;
        self.text("media_type", filters.media_type.as_deref())?;
        self.text("kind", filters.kind.as_deref())?;
        self.text("path", filters.path.as_deref())?;
        if filters.metadata.as_ref().is_some_and(holds_nul) {
            return Err(Error::Nul("metadata"));
        }
        self.add("metadata", filters.metadata.as_ref());
        self.add("min_similarity", filters.min_similarity);
        self.add("include_orphaned", filters.include_orphaned.then_some(true));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Filters;
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_is_given_is_an_argument() {
        let bare = Search { question: "why".into(), ..Search::default() };
        let call = Arguments::of_search(&bare, "rag").unwrap().call("search");
        assert_eq!(call, "passage.search(query => $1, store => $2::text::name)");

        let search = Search {
            embedding: Some(vec![0.5]),
            mode: Some(Mode::Hybrid),
            limit: Some(3),
            filters: Filters { min_similarity: Some(0.2), ..Filters::default() },
            max_tokens: Some(u32::MAX),
            ..bare
        };
        let full = Arguments::of_search(&search, "rag").unwrap();
        assert_eq!(
            full.call("search"),
            "passage.search(query => $1, embedding => $2, mode => $3, min_similarity => $4, max_passages => $5, \
             max_tokens => $6, store => $7::text::name)"
        );
        assert_eq!(format!("{:?}", full.values()[5]), i32::MAX.to_string());
        let hits = Arguments::of_hits(&search, "rag").unwrap();
        assert!(hits.call("search_hits").contains("max_hits => $5, store => $6"));
    }

    #[test]
    fn a_nul_is_refused_by_the_name_of_the_argument() {
        let nul = || Some("a\0b".to_owned());
        let filters = |filters| Search { filters, ..Search::default() };
        let searches: [(&str, Search); 11] = [
            ("query", Search { question: "a\0b".into(), ..Search::default() }),
            ("collection", filters(Filters { collection: nul(), ..Filters::default() })),
            ("version", filters(Filters { version: nul(), ..Filters::default() })),
            ("uri_pattern", filters(Filters { uri_pattern: nul(), ..Filters::default() })),
            ("media_type", filters(Filters { media_type: nul(), ..Filters::default() })),
            ("kind", filters(Filters { kind: nul(), ..Filters::default() })),
            ("path", filters(Filters { path: nul(), ..Filters::default() })),
            (
                "metadata",
                filters(Filters { metadata: Some(json!({"a": ["\0"]})), ..Filters::default() }),
            ),
            (
                "metadata",
                filters(Filters { metadata: Some(json!({"a": {"\0": 1}})), ..Filters::default() }),
            ),
            ("strategy", Search { strategy: nul(), ..Search::default() }),
            ("order_by", Search { order_by: nul(), ..Search::default() }),
        ];
        for (name, search) in searches {
            let error = Arguments::of_search(&search, "rag").err().expect(name);
            assert_eq!(error.to_string(), format!("\"{name}\" holds a NUL character"));
            assert!(error.remedy().starts_with("Leave the NUL out"));
        }
        let store = Arguments::of_search(&Search::default(), "r\0g").err().unwrap();
        assert_eq!(store.to_string(), "\"store\" holds a NUL character");
    }
}
