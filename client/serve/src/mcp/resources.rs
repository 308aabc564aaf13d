//! Documents as resources.

use super::results::error_text;
use crate::error::Error;
use crate::reader::Reader;
use passage_store::{DocumentChunk, DocumentFilter, DocumentKey, ListedDocument};
use rmcp::model::{
    ErrorData, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};
use uuid::Uuid;

/// The beginning of the uri of a document; its id follows.
const PREFIX: &str = "passage://document/";
/// The number of documents in a page.
const PAGE: u32 = 100;
/// The maximum size of a document that is read as a whole, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// The number of chunks that are read at a time.
const CHUNKS: u32 = 1_000;

/// Lists documents, page by page.
pub(super) async fn list(
    reader: &Reader,
    cursor: Option<String>,
) -> Result<ListResourcesResult, Failure> {
    let after = cursor.map(|cursor| serde_json::from_str::<DocumentKey>(&cursor)).transpose();
    let after = after
        .map_err(|_| ErrorData::invalid_params("the cursor is not one of this server", None))?;
    let filter = DocumentFilter { after, limit: PAGE, ..DocumentFilter::default() };
    let documents = reader.documents(&filter).await?;
    let next = documents
        .last()
        .filter(|_| documents.len() == PAGE as usize)
        .map(|last| serde_json::to_string(&last.key()).expect("a key is JSON"));
    let mut result = ListResourcesResult::with_all_items(documents.iter().map(resource).collect());
    result.next_cursor = next;
    Ok(result)
}

fn resource(document: &ListedDocument) -> Resource {
    let name = document.uri.clone().unwrap_or_else(|| document.id.to_string());
    let mut resource = Resource::new(format!("{PREFIX}{}", document.id), name);
    resource.title.clone_from(&document.title);
    resource.mime_type.clone_from(&document.media_type);
    if !document.collection.is_empty() {
        resource.description =
            Some(format!("{} {}", document.collection, document.version).trim_end().to_owned());
    }
    resource
}

/// Describes the uris of documents.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{PREFIX}{{document_id}}"), "document")
        .with_description("The whole text of a document of the store, by its id")
}

/// Returns the text of a document.
pub(super) async fn read(reader: &Reader, uri: &str) -> Result<ReadResourceResult, Failure> {
    let missing = || {
        let cause = "there is no such document; resources/list names them";
        Failure(ErrorData::resource_not_found(cause, None))
    };
    let id: Uuid = uri.strip_prefix(PREFIX).and_then(|id| id.parse().ok()).ok_or_else(missing)?;
    let filter = DocumentFilter { id: Some(id), limit: 1, ..DocumentFilter::default() };
    let documents = reader.documents(&filter).await?;
    let document = documents.first().ok_or_else(missing)?;
    let (mut text, mut after) = (String::new(), None);
    loop {
        let chunks = reader.chunks(id, after, CHUNKS).await?;
        text.extend(chunks.iter().map(|chunk| chunk.content.as_str()));
        if text.len() > MAX_BYTES {
            let cause = format!(
                "the document has more than {MAX_BYTES} bytes; read parts of it with the tools outline and read_passage"
            );
            return Err(ErrorData::invalid_params(cause, None).into());
        }
        after = chunks.last().map(DocumentChunk::key);
        if chunks.len() < CHUNKS as usize {
            break;
        }
    }
    let mut contents = ResourceContents::text(text, uri);
    if let (ResourceContents::TextResourceContents { mime_type, .. }, Some(media_type)) =
        (&mut contents, &document.media_type)
    {
        *mime_type = Some(media_type.clone());
    }
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The failure of a request for resources, which the protocol reports in another form than that of a tool.
pub(super) struct Failure(pub(super) ErrorData);

impl From<ErrorData> for Failure {
    fn from(error: ErrorData) -> Self {
        Self(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(ErrorData::internal_error(error_text(&error).replacen('\n', ": ", 1), None))
    }
}
