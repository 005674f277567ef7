//! Cards of a [`View`](super::View): questions, the draft of their answers, and where they stand.

use beckon_protocol::Millis;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One question request as a card, or as the summary of how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CardView {
    /// Key: the gateway's id, a slash, the request's id.
    pub key: String,
    /// The gateway's id.
    pub gateway: String,
    /// Key of its chat.
    pub chat: String,
    /// One to three, in the order asked.
    pub questions: Vec<QuestionView>,
    /// When it was asked, on the gateway's clock.
    #[ts(type = "number")]
    pub created_at_ms: Millis,
    /// When it ends without an answer, on the gateway's clock.
    #[ts(type = "number")]
    pub expires_at_ms: Millis,
    /// Where it stands.
    pub state: CardState,
    /// Positions of the questions that still need an answer. *Send* works when it is empty.
    pub missing: Vec<u32>,
    /// Something was chosen or typed.
    pub draft: bool,
    /// *You decide* works: every question without an answer takes free text.
    pub can_delegate: bool,
    /// Why the last attempt to send failed; the draft is still there.
    pub problem: Option<SendProblem>,
}

/// One question of a card, with the draft of its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct QuestionView {
    /// Answer key.
    pub id: String,
    /// Short label; may be empty.
    pub header: String,
    /// What is asked; newlines are kept.
    pub text: String,
    /// Several may be chosen.
    pub multi: bool,
    /// A secret; can't be answered here.
    pub secret: bool,
    /// In the order declared.
    pub options: Vec<OptionView>,
    /// Free text, where it is allowed.
    pub other: Option<OtherView>,
    /// Once it ended with an answer: the values, in the order sent.
    pub answer: Option<Vec<String>>,
}

/// One option of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct OptionView {
    /// The label to show: without the suffix `(Recommended)`.
    pub label: String,
    /// The value that is sent: the full label.
    pub value: String,
    /// The label ended in `(Recommended)`.
    pub recommended: bool,
    /// What choosing it means.
    pub description: Option<String>,
    /// Chosen in the draft, or in the answer once it ended.
    pub chosen: bool,
}

/// The free text of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct OtherView {
    /// Chosen in the draft.
    pub chosen: bool,
    /// As typed; kept while another option is chosen.
    pub text: String,
}

/// Where a card stands. Those from `Answered` on are final, but that `Unknown` may still become one of the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum CardState {
    /// Open.
    Pending,
    /// The time is up by the gateway's clock; the gateway is being asked.
    Checking,
    /// On its way.
    Sending {
        /// What is on its way.
        what: Sent,
    },
    /// Kept until the gateway can be reached.
    WaitingToSend {
        /// What is kept.
        what: Sent,
    },
    /// Ended with an answer.
    Answered {
        /// Who gave it.
        by: ResolvedBy,
        /// When, on this computer's clock; `null` when it happened while this device was away.
        #[ts(type = "number | null")]
        at_ms: Option<Millis>,
    },
    /// Ended by a person without an answer.
    Skipped {
        /// Who skipped it.
        by: ResolvedBy,
        /// When, as above.
        #[ts(type = "number | null")]
        at_ms: Option<Millis>,
    },
    /// Its run was stopped.
    Stopped {
        /// When, as above.
        #[ts(type = "number | null")]
        at_ms: Option<Millis>,
    },
    /// Its time ran out.
    Expired {
        /// When, as above.
        #[ts(type = "number | null")]
        at_ms: Option<Millis>,
    },
    /// The gateway no longer knows it.
    Unknown {
        /// What this device had sent, if anything.
        sent: Option<Sent>,
    },
}

/// What was sent for a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Sent {
    /// The answer.
    Answer,
    /// *You decide*: an answer that leaves it to the agent.
    Delegation,
    /// *Skip*.
    Skip,
}

/// Who ended a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "who", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum ResolvedBy {
    /// The person, on this device.
    You {
        /// What this device is called.
        device: String,
        /// By *You decide*.
        delegated: bool,
    },
    /// Somebody else, or the same person elsewhere, under the name they gave.
    Elsewhere {
        /// The name; `null` when the gateway didn't say.
        name: Option<String>,
    },
    /// A message in the chat.
    Message,
}

/// Why sending failed although the question is still open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SendProblem {
    /// What kind.
    pub why: SendProblemKind,
    /// The gateway's words, in English.
    pub detail: String,
}

/// Kinds of [`SendProblem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum SendProblemKind {
    /// The gateway refuses the answer as it is.
    Invalid,
    /// This device may not answer here.
    Forbidden,
    /// The gateway failed; the same answer may be sent again.
    Failed,
}
