//! `beckon mcp`: gives the one tool `ask_user` to an MCP agent over stdio.
//!
//! A call that its client cancels, or whose client goes away, cancels its question. While a call waits, the client gets
//! progress, if it asked for it, so that its own time-out doesn't end the call.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::process::ExitCode;
use std::task::{Context, Poll};
use std::time::Duration;

use beckon_client::Asker;
use beckon_core::ask::{self, Ask, AskArguments, AskResult};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ServerCapabilities, Tool,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use tokio::io::{AsyncRead, ReadBuf, Stdin};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::{Target, interrupted};

/// Distance between two notes of progress; clients give up after a minute without one.
const PROGRESS: Duration = Duration::from_secs(10);

pub(crate) async fn run(target: Target) -> anyhow::Result<ExitCode> {
    let interrupted = interrupted();
    let server = Server { target, gone: CancellationToken::new(), calls: TaskTracker::new() };
    let (gone, calls) = (server.gone.clone(), server.calls.clone());
    let (input, output) = rmcp::transport::stdio();
    let service = server.serve((Input { input, gone: gone.clone() }, output)).await?;
    tokio::select! {
        ended = service.waiting() => drop(ended?),
        () = interrupted => {}
    }
    // Whoever asked is gone: their questions go too, before this program does.
    gone.cancel();
    calls.close();
    calls.wait().await;
    Ok(ExitCode::SUCCESS)
}

/// Standard input, whose end means that the client is gone: calls must not wait for an answer that nobody takes.
struct Input {
    input: Stdin,
    gone: CancellationToken,
}

impl AsyncRead for Input {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.input).poll_read(cx, buffer);
        match read {
            Poll::Ready(Err(_)) => self.gone.cancel(),
            Poll::Ready(Ok(())) if buffer.filled().len() == before => self.gone.cancel(),
            Poll::Ready(Ok(())) | Poll::Pending => {}
        }
        read
    }
}

struct Server {
    target: Target,
    /// The client is gone.
    gone: CancellationToken,
    /// Calls that are not done; each is a task of its own, so that it can still cancel its question.
    calls: TaskTracker,
}

impl ServerHandler for Server {
    fn get_info(&self) -> rmcp::model::ServerConfig {
        let mut info = rmcp::model::ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("beckon", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(ask::GUIDANCE.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let serde_json::Value::Object(schema) = ask::schema() else {
            return Err(ErrorData::internal_error("the schema is no object", None));
        };
        Ok(ListToolsResult::with_all_items(vec![Tool::new(ask::TOOL, ask::GUIDANCE, schema)]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != ask::TOOL {
            return Err(ErrorData::invalid_params(format!("there is no tool '{}'", request.name), None));
        }
        let arguments = serde_json::Value::Object(request.arguments.unwrap_or_default());
        let ask = match AskArguments::from_json(arguments).and_then(AskArguments::check) {
            Ok(ask) => ask,
            Err(bad) => return Ok(failure(bad.to_string()).into()),
        };
        let client = context.peer.peer_info().map(|client| client.client_info.name.clone());
        let client = client.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "MCP agent".to_owned());
        let asker = match self.target.asker(&client, Some(format!("mcp:{client}"))) {
            Ok(asker) => asker,
            Err(error) => return Ok(failure(error.to_string()).into()),
        };
        let call = wait(asker, ask, context, self.gone.clone());
        let result = self.calls.spawn(call).await;
        result.map(Into::into).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

async fn wait(asker: Asker, ask: Ask, context: RequestContext<RoleServer>, gone: CancellationToken) -> CallToolResult {
    let total = ask.timeout_ms;
    let cancelled = async {
        tokio::select! {
            () = context.ct.cancelled() => {}
            () = gone.cancelled() => {}
        }
    };
    let progress = async {
        match context.meta.get_progress_token() {
            Some(token) => report_progress(&context.peer, token, Duration::from_millis(total)).await,
            None => std::future::pending().await,
        }
    };
    let result = tokio::select! {
        result = asker.ask(ask, cancelled) => result,
        never = progress => match never {},
    };
    match result {
        Ok(result) => success(&result),
        Err(error) => failure(format!("{error}. The user was not reached: go on with your best judgment.")),
    }
}

async fn report_progress(peer: &Peer<RoleServer>, token: ProgressToken, total: Duration) -> Infallible {
    let mut every = tokio::time::interval(PROGRESS);
    let started = every.tick().await;
    loop {
        let mut note = ProgressNotificationParam::new(token.clone(), started.elapsed().as_secs_f64());
        note.total = Some(total.as_secs_f64());
        note.message = Some("Waiting for the user's answer".to_owned());
        // A client that doesn't listen is noticed elsewhere.
        let _ = peer.notify_progress(note).await;
        every.tick().await;
    }
}

fn success(result: &AskResult) -> CallToolResult {
    let value = serde_json::json!(result);
    let mut done = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    done.structured_content = Some(value);
    done
}

fn failure(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}
