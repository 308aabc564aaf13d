/*!
MCP: search, fragments, passages and outlines as tools for agents.

The tools return text with citations for a model, and the same as structured results for programs. Documents are
resources. Nothing is written, unless the caller adds a [`Writer`] or the reader allows ratings.
*/

mod arguments;
mod links;
mod pages;
mod parts;
mod resources;
mod results;
mod sessions;
mod tools;
mod writer;

pub use writer::{TextDocument, Writer, Writing, Written};

use crate::error::Error;
use crate::guard::Guard;
use crate::listen::{self, Serving, Stop};
use crate::reader::Reader;
use crate::web;
use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use resources::Failure;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use sessions::Opening;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tools::{Allowed, Tool};

/// Instructions that a host shows to its model.
const INSTRUCTIONS: &str = "\
Finds passages in a store of documents. Begin with `search`, which returns whole passages with citations \
(uri:first-last); `fragments` returns only the lines that answer. Read on with `read_passage`: by chunk_id for more \
context, or by uri and lines. `similar` finds more like a chunk or a document. `outline` shows the sections of a document, \
`links` what it refers to, `list_collections` what the store has. \
Tools that read take max_tokens. If results were left out, they name the next offset. Name the citations in your answer.";

/// An MCP server over one store.
#[derive(Clone)]
pub struct Server {
    reader: Arc<Reader>,
    writer: Option<Arc<dyn Writer>>,
}

impl Server {
    /// Makes a server, which only reads unless there is a writer.
    pub fn new(reader: Arc<Reader>, writer: Option<Arc<dyn Writer>>) -> Self {
        Self { reader, writer }
    }

    /// Returns what the tools may write.
    fn allowed(&self) -> Allowed {
        Allowed { ingest: self.writer.is_some(), ratings: self.reader.allows_ratings() }
    }

    /// Ends a request after the time limit, or if the client cancels it. Dropping it cancels its statement in PostgreSQL.
    async fn limited<T, E: From<Error>>(
        &self,
        cancelled: impl Future<Output = ()>,
        request: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let _permit = self.reader.admit()?;
        let limit = self.reader.timeout();
        tokio::select! {
            result = tokio::time::timeout(limit, request) => {
                result.unwrap_or_else(|_| Err(Error::TimedOut(limit).into()))
            }
            () = cancelled => {
                Err(Error::invalid("the request was cancelled", "Send it again.").into())
            }
        }
    }

    /// Serves one client on standard input and output, until the client closes them or `stop` is ready.
    ///
    /// # Errors
    ///
    /// Returns the cause if the client does not follow the protocol.
    pub fn serve_stdio(self, stop: Stop) -> Serving<Result<(), String>> {
        Box::pin(async move {
            let serving = async {
                let running =
                    Box::pin(self.serve(stdio())).await.map_err(|error| error.to_string())?;
                running.waiting().await.map(drop).map_err(|error| error.to_string())
            };
            tokio::select! { result = serving => result, () = stop => Ok(()) }
        })
    }

    /// Serves clients over streamable HTTP at `/mcp`, until `stop` is ready.
    pub fn serve_http(self, listener: TcpListener, guard: Guard, stop: Stop) -> Serving<()> {
        // The guard checks the Host header. With a token it admits any name.
        let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
        let cancel = config.cancellation_token.clone();
        // A session ends with its client, or without a request for an hour. A call may take longer.
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(KEEP_ALIVE.max(self.reader.timeout() + MARGIN));
        let sessions = Arc::new(sessions);
        let service =
            StreamableHttpService::new(move || Ok(self.clone()), Arc::clone(&sessions), config);
        let opening = Arc::new(Opening::new(sessions));
        let guard = Arc::new(guard);
        let router = Router::new()
            .route_service("/mcp", service)
            .layer(from_fn_with_state(opening, sessions::admit))
            .layer(from_fn_with_state(Arc::clone(&guard), web::check_token))
            .fallback(web::not_found)
            .layer(from_fn_with_state(guard, web::check_host))
            .layer(from_fn(web::harden));
        let stop = async move {
            stop.await;
            // Open event streams end, so that the listener does not wait for them.
            cancel.cancel();
        };
        Box::pin(listen::listen(listener, router, Box::pin(stop)))
    }
}

/// The time for which a session over HTTP is kept without a request.
const KEEP_ALIVE: Duration = Duration::from_hours(1);
/// The time by which a session outlasts a call that reaches the time limit.
const MARGIN: Duration = Duration::from_mins(1);

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("pg_passage", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list(self.allowed())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Tool::from_name(&request.name, self.allowed()) else {
            let names: Vec<_> =
                tools::list(self.allowed()).into_iter().map(|tool| tool.name).collect();
            return Err(ErrorData::invalid_params(
                format!("there is no tool of this name; the tools are {}", names.join(", ")),
                None,
            ));
        };
        let arguments = request.arguments.unwrap_or_default();
        let answer = Box::pin(tool.call(&self.reader, self.writer.as_deref(), arguments));
        // A cancelled write ends, so that its result is known.
        let cancelled = async {
            if tool.writes() {
                std::future::pending::<()>().await;
            }
            context.ct.cancelled().await;
        };
        let mut answer = self.limited(cancelled, answer).await;
        if let (Err(Error::TimedOut(limit)), true) = (&answer, tool.writes()) {
            answer = Err(Error::invalid(
                format!("the call took longer than {} s, and may have written", limit.as_secs()),
                "Search for the document before you call again.",
            ));
        }
        let result = match answer {
            Ok(answer) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
                result.structured_content = Some(answer.structured);
                result
            }
            Err(error) => {
                CallToolResult::error(vec![ContentBlock::text(results::error_text(&error))])
            }
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let listed =
            self.limited(context.ct.cancelled(), resources::list(&self.reader, cursor)).await;
        listed.map_err(|Failure(error)| error)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![resources::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read =
            self.limited(context.ct.cancelled(), resources::read(&self.reader, &request.uri)).await;
        Ok(read.map_err(|Failure(error)| error)?.into())
    }
}
