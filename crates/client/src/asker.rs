//! Asks a question and waits for its end, through reconnects: for `beckon ask` and the MCP tool.
//!
//! The request's id is made here, so that asking again after a lost acknowledgement asks the same question: a gateway
//! that has it already says so. Until the gateway has acknowledged it, each connection asks; afterwards it only waits.

use std::time::Duration;

use beckon_core::ask::{Ask, AskResult};
use beckon_core::backoff;
use beckon_core::view::LinkProblem;
use beckon_protocol::error::{ErrorShape, reason};
use beckon_protocol::frame::method;
use beckon_protocol::question::{RESOLVED_BY_RUN_END, RequestParams, ResolveParams, Resolved, WaitParams};
use beckon_protocol::{Frame, close};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use crate::connection::{Connection, Down, Identity};

/// How long a gateway that can't be reached is waited for before the first acknowledgement. Afterwards the question is
/// in its book, and it is waited for until the question's own end.
const FIRST_REACH: Duration = Duration::from_secs(10);
/// Grace after a question's end in which a gateway that restarts may still say how it ended.
const AFTER_END: Duration = Duration::from_mins(1);
/// A cancellation is tried that long.
const CANCEL: Duration = Duration::from_secs(5);

/// Where a question is asked, and by whom.
#[derive(Clone)]
pub struct Asker {
    /// The gateway.
    pub address: String,
    /// Its shared token.
    pub token: String,
    /// What the asking program is called.
    pub name: String,
    /// The chat the question appears in; none: among the other questions.
    pub session_key: Option<String>,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// No connection.
    #[error("the gateway can't be reached: {0}")]
    Down(#[from] Down),
    /// The gateway refuses the question.
    #[error("the gateway refuses the question: {0}")]
    Refused(ErrorShape),
    /// The gateway lost the question: it restarted and keeps none.
    #[error("the gateway no longer knows the question")]
    Forgotten,
}

impl Asker {
    /// Asks, and waits for the end. When `cancelled` resolves first, the question is cancelled and the result is
    /// `no_answer`.
    pub async fn ask(&self, ask: Ask, cancelled: impl Future<Output = ()>) -> Result<AskResult, AskError> {
        let id = Uuid::new_v4().to_string();
        tokio::pin!(cancelled);
        let result = tokio::select! {
            biased;
            // Boxed: whoever waits for an answer holds it for minutes.
            result = Box::pin(self.wait(&id, ask)) => return result,
            () = &mut cancelled => AskResult::NoAnswer,
        };
        self.cancel(&id).await;
        Ok(result)
    }

    async fn wait(&self, id: &str, ask: Ask) -> Result<AskResult, AskError> {
        let started = Instant::now();
        let end = started + Duration::from_millis(ask.timeout_ms) + AFTER_END;
        let mut conversation = Conversation { accepted: false, failures: 0 };
        loop {
            let down = match self.connect().await {
                Ok(mut connection) => {
                    // Asked again after a loss, it still ends when it was to end.
                    let late = if conversation.failures == 0 { Duration::ZERO } else { started.elapsed() };
                    let late = u64::try_from(late.as_millis()).unwrap_or(u64::MAX);
                    let left = ask.timeout_ms.saturating_sub(late).max(1);
                    match conversation.hold(&mut connection, self.request(id, &ask, left)).await {
                        Ok(result) => {
                            connection.close(close::NORMAL).await;
                            return Ok(result);
                        }
                        Err(AskError::Down(down)) => down,
                        Err(error) => return Err(error),
                    }
                }
                Err(down) => down,
            };
            conversation.failures += 1;
            let patience = if conversation.accepted { end } else { started + FIRST_REACH };
            let wait = down
                .retry_after
                .unwrap_or_else(|| backoff::wait(conversation.failures, getrandom::u64().unwrap_or_default()));
            if down.needs_person || Instant::now() + wait > patience {
                return Err(down.into());
            }
            tracing::info!(detail = %down.detail, "connecting again");
            tokio::time::sleep(wait).await;
        }
    }

    async fn connect(&self) -> Result<Connection, Down> {
        Connection::open(&self.address, &Identity::asker(&self.name), &self.token).await
    }

    fn request(&self, id: &str, ask: &Ask, timeout_ms: u64) -> RequestParams {
        RequestParams {
            questions: ask.questions.clone(),
            id: Some(id.to_owned()),
            agent_id: None,
            session_key: self.session_key.clone(),
            run_id: None,
            timeout_ms: Some(timeout_ms),
        }
    }

    /// As well as it goes: whoever cancels doesn't wait for long.
    async fn cancel(&self, id: &str) {
        let attempt = async {
            let mut connection = self.connect().await?;
            // Not a person's skip: whoever asked has gone.
            let resolved_by = Some(RESOLVED_BY_RUN_END.to_owned());
            let params =
                ResolveParams { id: id.to_owned(), answers: None, cancel: true, resolved_by, resolution_id: None };
            let answer: Result<Value, AskError> = call(&mut connection, method::QUESTION_RESOLVE, json!(params)).await;
            connection.close(close::NORMAL).await;
            answer
        };
        match timeout(CANCEL, attempt).await {
            // Not found: it was never accepted. Already ended: nothing to cancel.
            Ok(Ok(_) | Err(AskError::Refused(_))) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the question could not be cancelled; it ends by its time limit"),
            Err(_) => tracing::warn!("the question could not be cancelled in time; it ends by its time limit"),
        }
    }
}

/// What was achieved over several connections.
struct Conversation {
    /// The gateway has acknowledged the question.
    accepted: bool,
    /// Connections that failed since.
    failures: u32,
}

impl Conversation {
    /// Asks if need be, and waits for the end.
    async fn hold(&mut self, connection: &mut Connection, request: RequestParams) -> Result<AskResult, AskError> {
        let wait =
            WaitParams { id: request.id.clone().unwrap_or_default(), timeout_ms: None, include_resolution_id: false };
        if !self.accepted {
            match call::<Value>(connection, method::QUESTION_REQUEST, json!(request)).await {
                Ok(_) => {}
                // The acknowledgement of an earlier connection was lost.
                Err(AskError::Refused(error)) if error.reason() == Some(reason::ID_IN_USE) => {}
                Err(error) => return Err(error),
            }
            self.accepted = true;
        }
        self.failures = 0;
        match call::<Resolved>(connection, method::QUESTION_WAIT, json!(wait)).await {
            Ok(resolved) => AskResult::from_resolved(resolved).ok_or(AskError::Forgotten),
            Err(AskError::Refused(error)) if error.reason() == Some(reason::NOT_FOUND) => Err(AskError::Forgotten),
            Err(error) => Err(error),
        }
    }
}

/// A refusal that is worth another try is as good as a lost connection.
fn refused(error: ErrorShape) -> AskError {
    if error.retryable != Some(true) {
        return AskError::Refused(error);
    }
    let retry_after = Some(Duration::from_millis(backoff::wish(error.retry_after_ms)));
    AskError::Down(Down { retry_after, ..Down::new(LinkProblem::Restarting, error.message) })
}

/// Calls and waits for the answer; events that come meanwhile are not for us.
async fn call<T: DeserializeOwned>(connection: &mut Connection, method: &str, params: Value) -> Result<T, AskError> {
    connection.send(method.to_owned(), method, params).await?;
    loop {
        match connection.next().await? {
            Frame::Res(response) if response.id == method => {
                let payload = response.into_result().map_err(refused)?;
                let unreadable =
                    |error: serde_json::Error| AskError::Refused(ErrorShape::unavailable(error.to_string()));
                return serde_json::from_value(payload).map_err(unreadable);
            }
            _ => {}
        }
    }
}
