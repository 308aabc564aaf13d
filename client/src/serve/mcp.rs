/*!
MCP: search, fragments, passages and outlines as tools for agents.

The tools return text with citations for a model, and the same as structured results for programs. Documents are
resources. Nothing is written, unless the caller adds a [`Writer`].
*/

mod arguments;
mod pages;
mod resources;
mod results;
mod tools;
mod writer;

pub use writer::Writer;

use super::error::Error;
use super::guard::Guard;
use super::reader::Reader;
use super::{listen, web};
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
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
use std::sync::Arc;
use tokio::net::TcpListener;
use tools::Tool;

/// Instructions that a host shows to its model.
const INSTRUCTIONS: &str = "\
Finds passages in a store of documents. Begin with `search`, which returns whole passages with citations \
(uri:first-last); `fragments` returns only the lines that answer. Read on with `read_passage`: by chunk_id for more \
context, or by uri and lines. `outline` shows the sections of a document, `list_collections` what the store has. \
Every tool takes max_tokens, and says how to continue if something was left out. Cite the citations.";

/// An MCP server over one store.
#[derive(Clone)]
pub struct Server {
    reader: Arc<Reader>,
    writer: Option<Arc<Writer>>,
}

impl Server {
    /// Makes a server, which only reads unless there is a writer.
    pub fn new(reader: Arc<Reader>, writer: Option<Writer>) -> Self {
        Self { reader, writer: writer.map(Arc::new) }
    }

    /// Serves one client on standard input and output, until the client closes them or `stop` is ready.
    ///
    /// # Errors
    ///
    /// Returns the cause if the client does not follow the protocol.
    pub async fn serve_stdio(self, stop: impl Future<Output = ()>) -> Result<(), String> {
        let serving = async {
            let running = Box::pin(self.serve(stdio())).await.map_err(|error| error.to_string())?;
            running.waiting().await.map(drop).map_err(|error| error.to_string())
        };
        tokio::select! { result = serving => result, () = stop => Ok(()) }
    }

    /// Serves clients over streamable HTTP at `/mcp`, until `stop` is ready.
    pub async fn serve_http(
        self,
        listener: TcpListener,
        guard: Guard,
        stop: impl Future<Output = ()>,
    ) {
        // The guard checks the Host header, and does so for other names if there is a token.
        let config = StreamableHttpServerConfig::default().disable_allowed_hosts();
        let cancel = config.cancellation_token.clone();
        // A session ends with its client, or after five minutes without a request.
        let sessions = Arc::new(LocalSessionManager::default());
        let service =
            StreamableHttpService::new(move || Ok(self.clone()), Arc::clone(&sessions), config);
        let guard = Arc::new(guard);
        let router = Router::new()
            .route_service("/mcp", service)
            .layer(from_fn_with_state(sessions, limit_sessions))
            .layer(from_fn_with_state(Arc::clone(&guard), web::check_token))
            .fallback(web::not_found)
            .layer(from_fn_with_state(guard, web::check_host))
            .layer(from_fn(web::harden));
        let stop = async move {
            stop.await;
            // Open event streams end, so that the listener does not wait for them.
            cancel.cancel();
        };
        listen::listen(listener, router, stop).await;
    }
}

/// The maximum number of sessions over HTTP.
const MAX_SESSIONS: usize = 256;

/// Rejects a new session while too many are open.
async fn limit_sessions(
    State(sessions): State<Arc<LocalSessionManager>>,
    request: Request,
    next: Next,
) -> Response {
    let is_new = !request.headers().contains_key("mcp-session-id");
    if is_new && sessions.sessions.read().await.len() >= MAX_SESSIONS {
        return web::reject(&Error::TooManySessions);
    }
    next.run(request).await
}

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
        Ok(ListToolsResult::with_all_items(tools::list(self.writer.is_some())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Tool::from_name(&request.name, self.writer.is_some()) else {
            let names: Vec<_> =
                tools::list(self.writer.is_some()).into_iter().map(|tool| tool.name).collect();
            return Err(ErrorData::invalid_params(
                format!("there is no tool of this name; the tools are {}", names.join(", ")),
                None,
            ));
        };
        let arguments = request.arguments.unwrap_or_default();
        let answer = Box::pin(tool.call(&self.reader, self.writer.as_deref(), arguments));
        // Dropping the call cancels its statement in PostgreSQL. A write ends, so that its result is known.
        let answer = tokio::select! {
            answer = answer => answer,
            () = context.ct.cancelled(), if !tool.writes() => Err(Error::invalid("the request was cancelled", "Send it again.")),
        };
        let result = match answer {
            Ok(answer) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
                result.structured_content = Some(answer.structured);
                result
            }
            Err(error) => {
                let text = format!("{error}\n{}", results::remedy(&error));
                CallToolResult::error(vec![ContentBlock::text(text)])
            }
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&self.reader, request.and_then(|request| request.cursor)).await
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
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resources::read(&self.reader, &request.uri).await?.into())
    }
}
