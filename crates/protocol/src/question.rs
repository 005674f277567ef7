//! Questions: the record, the answer, and the parameters and results of the `question.*` methods.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Millis;

/// One request with its one to three questions, as the gateway keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionRecord {
    /// `ask_` and 32 hex digits for an agent's question; anything non-empty otherwise.
    pub id: String,
    /// One to three.
    pub questions: Vec<Question>,
    /// The agent that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The chat that asks, in canonical form, for example `agent:main:main`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// The run that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// When it was asked, on the gateway's clock.
    pub created_at_ms: Millis,
    /// When it ends without an answer, on the gateway's clock.
    pub expires_at_ms: Millis,
    /// Pending, or how it ended.
    pub status: Status,
    /// Only when answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Answers>,
    /// Whatever the resolver called itself. OpenClaw doesn't verify it; absent on expiry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<String>,
}

/// `resolvedBy` of an answer that came as a chat message.
pub const RESOLVED_BY_MESSAGE: &str = "plain-text";
/// `resolvedBy` of a question whose run ended.
pub const RESOLVED_BY_RUN_END: &str = "requester-inactive";

/// Where a question stands. All but `Pending` are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Open.
    Pending,
    /// Ended with answers.
    Answered,
    /// Skipped by a person, or its run was stopped.
    Cancelled,
    /// Its time ran out.
    Expired,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// Answer key, `^[a-z][a-z0-9_]*$`, unique in its record.
    pub question_id: String,
    /// Short label, at most 12 UTF-16 units, may be empty.
    pub header: String,
    /// What is asked. No maximum on the wire.
    pub question: String,
    /// None, or two to four.
    pub options: Vec<QuestionOption>,
    /// Several options may be chosen.
    #[serde(default, skip_serializing_if = "is_false")]
    pub multi_select: bool,
    /// Free text is allowed beside the options.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_other: bool,
    /// The answer is a secret that goes into the gateway's store.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_secret: bool,
    /// A page that helps to answer; absolute http(s), without credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// One choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionOption {
    /// What is sent when it is chosen, to the letter.
    pub label: String,
    /// What choosing it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The answers of a request: `{"answers": {questionId: [values]}}`, arrays for every question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Answers {
    /// Values by `questionId`.
    pub answers: BTreeMap<String, Vec<String>>,
}

/// Parameters of `question.request`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestParams {
    /// One to three.
    pub questions: Vec<Question>,
    /// The record's id; the gateway makes one up when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The agent that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The chat that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// The run that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Time limit; 900 000 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<Millis>,
}

/// Result of `question.request`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Requested {
    /// The record's id.
    pub id: String,
    /// When it ends without an answer, on the gateway's clock.
    pub expires_at_ms: Millis,
}

/// Parameters of `question.get`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetParams {
    /// The record's id.
    pub id: String,
}

/// Result of `question.get`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GetResult {
    /// The record.
    pub question: QuestionRecord,
}

/// Result of `question.list`: pending ones, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListResult {
    /// The records.
    pub questions: Vec<QuestionRecord>,
}

/// Parameters of `question.resolve`: either `answers` or `cancel: true`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolveParams {
    /// The record's id.
    pub id: String,
    /// An answer to every question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Answers>,
    /// Skip.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cancel: bool,
    /// What the resolver calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<String>,
    /// The same at every retry of one answer. OpenClaw only hands it on to waiting callers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution_id: Option<String>,
}

/// How a question ended: payload of `question.resolved`, and without `id` the result of `question.resolve` and
/// `question.waitAnswer`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resolved {
    /// The record's id; absent in results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `Pending` only from `question.waitAnswer`, when its own time-out came first.
    pub status: Status,
    /// Only when answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Answers>,
    /// Only from `question.waitAnswer` with `includeResolutionId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution_id: Option<String>,
}

/// Parameters of `question.waitAnswer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitParams {
    /// The record's id.
    pub id: String,
    /// Answer `pending` after that long; without it, wait for the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<Millis>,
    /// Return the resolver's `resolutionId`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub include_resolution_id: bool,
}
