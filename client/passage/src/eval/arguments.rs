//! The arguments of the searches of an evaluation.

use super::question::Question;
use super::report::Configuration;
use super::run::Evaluation;
use crate::store::Search;
use serde_json::{Map, Value, json};

impl Evaluation {
    /// Returns the arguments of `passage.search` for a question, without `max_tokens` if there is no budget. The filter of the
    /// question takes precedence over that of the evaluation.
    pub(super) fn arguments(
        &self,
        configuration: &Configuration,
        question: &Question,
        budget: Option<u32>,
    ) -> Map<String, Value> {
        let search = Search {
            question: question.query.clone(),
            strategy: configuration.strategy.clone(),
            max_tokens: budget,
            ..self.search.clone()
        };
        let mut arguments = search.arguments();
        let mut filter = question.filter.clone();
        // A list of collections is a key of the filter; one collection is an argument of its own.
        match filter.remove("collection") {
            Some(Value::String(collection)) => {
                arguments.insert("collection".into(), collection.into());
            }
            Some(collections) => {
                arguments.remove("collection");
                filter.insert("collection".into(), collections);
            }
            None => {}
        }
        let mode = json!({ "mode": configuration.mode });
        for (group, keys) in [
            ("filter", &filter),
            ("ranking", &configuration.ranking),
            ("ranking", mode.as_object().expect("it is an object")),
            ("limits", &configuration.limits),
        ] {
            if keys.is_empty() {
                continue;
            }
            let all = arguments.entry(group).or_insert_with(|| json!({}));
            all.as_object_mut().expect("groups are objects").extend(keys.clone());
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Filters;

    #[test]
    fn a_question_narrows_the_search_of_its_configuration() {
        let object = |value: Value| value.as_object().unwrap().clone();
        let filters = Filters {
            collection: Some("a".into()),
            kind: Some("code".into()),
            ..Filters::default()
        };
        let search = Search { limit: Some(100), filters, ..Search::default() };
        let evaluation = Evaluation {
            questions: Vec::new(),
            configurations: Vec::new(),
            budgets: Vec::new(),
            search,
            url: String::new(),
            reranking: None,
        };
        let configuration = Configuration {
            mode: "hybrid".into(),
            strategy: Some("auto".into()),
            ranking: object(json!({"text_weight": 2})),
            limits: object(json!({"parents": 1})),
            ..Configuration::default()
        };
        let arguments = |filter: Value| {
            let query = "why".into();
            let question =
                Question { name: None, query, wanted: Vec::new(), filter: object(filter) };
            Value::Object(evaluation.arguments(&configuration, &question, Some(512)))
        };
        let mut expected = json!({
            "query": "why", "collection": "a", "filter": {"kind": "code"}, "max_passages": 100, "max_tokens": 512,
            "strategy": "auto", "ranking": {"mode": "hybrid", "text_weight": 2}, "limits": {"parents": 1},
        });
        assert_eq!(arguments(json!({})), expected);
        expected["collection"] = "b".into();
        expected["filter"] = json!({"kind": "prose"});
        assert_eq!(arguments(json!({"collection": "b", "kind": "prose"})), expected);
        expected.as_object_mut().unwrap().remove("collection");
        expected["filter"] = json!({"kind": "code", "collection": ["b", "c"]});
        assert_eq!(arguments(json!({"collection": ["b", "c"]})), expected);
    }
}
