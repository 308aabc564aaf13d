//! The `OpenAPI` description, from the catalogs of the database.

use super::functions::RERANK;
use crate::facts::{FUNCTIONS, Facts, RATE, SEARCH};
use crate::reader::Reader;
use crate::web::{answer, reject};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use passage_core::arguments::GROUPS;
use passage_embed::EmbeddingKind;
use passage_store::{Column, Function};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(super) async fn openapi(State(reader): State<Arc<Reader>>) -> Response {
    match reader.facts().await {
        Ok(facts) => answer(StatusCode::OK, &describe(&facts, reader.allows_ratings())),
        Err(error) => reject(&error),
    }
}

/// Returns the description.
fn describe(facts: &Facts, allows_ratings: bool) -> Value {
    let mut paths = Map::new();
    for (path, name) in FUNCTIONS {
        if name == RATE && !allows_ratings {
            continue;
        }
        if let Some(functions) = facts.functions.get(name) {
            paths.insert(format!("/{path}"), json!({ "post": operation(path, functions) }));
        }
    }
    for (path, summary, parameters) in [
        ("/store", "Names, versions, the model and the strategies", json!([])),
        ("/collections", "The collections with their versions and counts", json!([])),
        ("/evaluation", "The report of passage eval that the server was started with", json!([])),
        ("/v1/models", "The model of the server, in the shape of the OpenAI API", json!([])),
        ("/health", "Whether the process answers; needs no token", json!([])),
        ("/ready", "Whether the store can be read; needs no token", json!([])),
        (
            "/documents",
            "Documents in the order of uris, collections and versions",
            json!([
                parameter("uri", "string", "Only documents with this uri or id"),
                parameter("collection", "string", "Only this collection"),
                parameter("version", "string", "Only this version of the collection"),
                parameter("after", "string", "The value of `next` of the page before"),
                parameter("limit", "integer", "The maximum number, 1 to 1000, 100 by default"),
            ]),
        ),
        (
            "/document",
            "A document",
            json!([required(&parameter("document_id", "string", "The id, a uuid"))]),
        ),
        (
            "/chunks",
            "The chunks of a document, in document order",
            json!([
                required(&parameter("document_id", "string", "The id, a uuid")),
                parameter("after", "string", "The value of `next` of the page before"),
                parameter("limit", "integer", "The maximum number, 1 to 20000, 10000 by default"),
            ]),
        ),
    ] {
        let get = json!({"summary": summary, "parameters": parameters, "responses": responses(&json!({"type": "object"}))});
        paths.insert(path.into(), json!({ "get": get }));
    }
    paths.insert("/v1/embeddings".into(), json!({ "post": embeddings() }));
    json!({
        "openapi": "3.1.0",
        "info": {"title": "passage serve", "version": env!("CARGO_PKG_VERSION"),
            "description": "Search, fragments and context of one store. The bodies are the arguments of the SQL functions \
                of pg_passage, the results their rows."},
        "paths": paths,
        "components": {
            "schemas": {"Error": error_schema()},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    })
}

/// Describes a path that calls a function; an overloaded one takes one of several objects.
fn operation(path: &str, functions: &[Function]) -> Value {
    let mut bodies: Vec<_> = functions.iter().map(arguments).collect();
    let mut results = rows(&functions[0].columns);
    if functions[0].name == SEARCH {
        for body in &mut bodies {
            body["properties"][RERANK] = json!({"type": ["boolean", "null"], "description":
                "false leaves the order of the search; true is an error if the server has no reranker; by default it is used"});
        }
        results["properties"]["reranked"] = json!({"type": "boolean", "description": "Whether a rerank model has ordered the hits"});
    }
    let body = if bodies.len() == 1 { bodies.remove(0) } else { json!({ "anyOf": bodies }) };
    let first = &functions[0];
    let (summary, rest) = first.description.split_once('\n').unwrap_or((&first.description, ""));
    json!({
        "summary": summary,
        "description": rest,
        "operationId": path,
        "requestBody": {"required": true, "content": {"application/json": {"schema": body}}},
        "responses": responses(&results),
    })
}

fn arguments(function: &Function) -> Value {
    let given = || function.arguments.iter().filter(|argument| argument.name != "store");
    let mut properties = Map::new();
    for argument in given() {
        let group = GROUPS.iter().find(|group| group.name == argument.name);
        let mut schema = group.map_or_else(|| schema(&argument.sql_type), |group| group.schema());
        if let Some(description) = &argument.description {
            schema["description"] = json!(description);
        }
        properties.insert(argument.name.clone(), schema);
    }
    let required: Vec<_> = given()
        .filter(|argument| argument.default.is_none())
        .map(|argument| &argument.name)
        .collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn rows(columns: &[Column]) -> Value {
    let property = |column: &Column| (column.name.clone(), schema(&column.sql_type));
    let properties: Map<_, _> = columns.iter().map(property).collect();
    json!({"type": "object", "required": ["results", "notes"], "properties": {
        "results": {"type": "array", "items": {"type": "object", "properties": properties}},
        "notes": {"type": "array", "items": {"type": "object", "properties": {
            "message": {"type": "string"}, "hint": {"type": ["string", "null"]}}}},
    }})
}

/// Returns the JSON schema of an SQL type; each value may be null.
fn schema(sql_type: &str) -> Value {
    if let Some(element) = sql_type.strip_suffix("[]") {
        return json!({"type": ["array", "null"], "items": schema(element)});
    }
    match sql_type {
        "integer" => json!({"type": ["integer", "null"], "minimum": i32::MIN, "maximum": i32::MAX}),
        "bigint" => json!({"type": ["integer", "null"]}),
        "real" | "double precision" => json!({"type": ["number", "null"]}),
        "boolean" => json!({"type": ["boolean", "null"]}),
        "uuid" => json!({"type": ["string", "null"], "format": "uuid"}),
        "jsonb" | "json" => json!({"type": ["object", "array", "null"]}),
        _ => json!({"type": ["string", "null"]}),
    }
}

fn embeddings() -> Value {
    let text = json!({"type": "string", "minLength": 1});
    json!({
        "summary": "Embeddings of texts by the model of the server, in the shape of the OpenAI API",
        "operationId": "embeddings",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["input"], "properties": {
                "input": {"anyOf": [text, {"type": "array", "items": text, "minItems": 1, "maxItems": 256}]},
                "model": {"type": "string"},
                "encoding_format": {"enum": ["float", "base64"]},
                "dimensions": {"type": "integer"},
                "input_type": {
                    "enum": EmbeddingKind::ALL.map(EmbeddingKind::name),
                    "default": EmbeddingKind::Query.name(),
                    "description": "Whether the texts are questions or documents",
                },
            }}}}},
        "responses": responses(&json!({"type": "object", "required": ["object", "data", "model", "usage"]})),
    })
}

fn parameter(name: &str, schema_type: &str, description: &str) -> Value {
    json!({"name": name, "in": "query", "description": description, "schema": {"type": schema_type}})
}

fn required(parameter: &Value) -> Value {
    let mut parameter = parameter.clone();
    parameter["required"] = json!(true);
    parameter
}

fn responses(success: &Value) -> Value {
    let error = json!({"description": "An error with a hint", "content": {"application/json": {
        "schema": {"$ref": "#/components/schemas/Error"}}}});
    let mut responses = Map::new();
    responses.insert(
        "200".into(),
        json!({"description": "The result", "content": {"application/json": {"schema": success}}}),
    );
    for status in
        ["400", "401", "403", "404", "405", "409", "413", "415", "500", "502", "503", "504"]
    {
        responses.insert(status.into(), error.clone());
    }
    responses.into()
}

fn error_schema() -> Value {
    json!({"type": "object", "required": ["error"], "properties": {"error": {
    "type": "object", "required": ["message", "hint"], "properties": {
        "message": {"type": "string"}, "hint": {"type": "string"},
        "code": {"type": ["string", "null"], "description": "The SQLSTATE, if PostgreSQL reported the error"},
    }}}})
}
