//! View, Patch, Intent: the whole contract with an interface.
//!
//! A [`View`] is a snapshot, a [`Patch`] one change after it, an [`Intent`] what a person wants. Patches carry whole
//! entities by key, so that applying one twice changes nothing. The interface keeps no state of the domain beside
//! them. TypeScript types are generated into `ui/src/host/bindings` by `cargo xtask bindings`.
//!
//! No words for people here: the interface has the languages. Core gives the facts.

use beckon_protocol::Millis;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Everything an interface shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct View {
    /// No door was taken yet and nothing is waiting: show the three doors.
    pub first_run: bool,
    /// This program runs a gateway of its own.
    pub built_in: Option<BuiltInView>,
    /// Where tokens and the device key are kept.
    pub secrets: SecretsView,
    /// In the order they were added, the built-in one first.
    pub gateways: Vec<GatewayView>,
    /// Most recently asked first.
    pub chats: Vec<ChatView>,
    /// Every question request, oldest first, pending and ended.
    pub cards: Vec<CardView>,
}

/// The gateway inside this program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct BuiltInView {
    /// Its address, for example `ws://127.0.0.1:7117`.
    pub address: String,
    /// What to paste into an MCP agent's settings to give it `ask_user`.
    pub mcp_snippet: String,
}

/// Where secrets are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum SecretsView {
    /// In the key store of the operating system.
    #[default]
    KeyStore,
    /// There is none; nothing is kept until the person allows a file ([`Intent::AllowSecretFile`]).
    Missing,
    /// In a file only this user can read, which the person allowed.
    File,
}

/// One gateway and the state of its link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct GatewayView {
    /// Key.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// `ws://` or `wss://`.
    pub address: String,
    /// The one inside this program.
    pub built_in: bool,
    /// State of the link.
    pub link: LinkView,
    /// Questions that wait here.
    pub waiting: u32,
    /// The gateway's clock minus this computer's, in milliseconds.
    #[ts(type = "number")]
    pub clock_offset_ms: i64,
}

/// State of the link to a gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "state", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum LinkView {
    /// The first attempt, or one that follows a loss, is under way.
    Connecting,
    /// Answers go out at once.
    Online {
        /// What this device may not do here: scopes that were not granted.
        missing_scopes: Vec<String>,
    },
    /// Lost; tried again by itself.
    Retrying {
        /// When, on this computer's clock.
        #[ts(type = "number")]
        at_ms: Millis,
        /// What happened last.
        why: LinkProblem,
        /// More about it, for the curious; in English.
        detail: String,
    },
    /// Not tried again until the person acts.
    Stuck {
        /// What to act on.
        why: LinkProblem,
        /// More about it, for the curious; in English.
        detail: String,
        /// The pairing request to approve, when that is what is missing.
        pairing_request: Option<String>,
    },
}

/// Why a link is down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum LinkProblem {
    /// Nobody answers at the address.
    Unreachable,
    /// It was there and went away.
    Lost,
    /// It says that it starts or stops.
    Restarting,
    /// It answers, but not as a gateway of this protocol.
    NotAGateway,
    /// The token is wrong or no longer good.
    TokenRefused,
    /// Too many wrong tokens; the gateway lets nobody in for a while.
    RateLimited,
    /// The device must be approved at the gateway.
    PairingRequired,
    /// This version of Beckon and the gateway don't understand each other.
    WrongVersion,
    /// The gateway refused for another reason; the detail has it.
    Refused,
    /// The key store doesn't give the secrets out.
    SecretsUnavailable,
}

/// A chat that has asked something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ChatView {
    /// Key: the gateway's id, a slash, the session's key (empty for questions that belong to no chat).
    pub key: String,
    /// The gateway's id.
    pub gateway: String,
    /// What the chat is called; `null` for the questions that belong to no chat.
    pub title: Option<String>,
    /// The agent, where it says more than the title.
    pub agent: Option<String>,
    /// Questions that wait in it.
    pub waiting: u32,
    /// The newest question's text.
    pub last: String,
    /// When that was asked, on the gateway's clock.
    #[ts(type = "number")]
    pub at_ms: Millis,
}

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

/// One change after a [`View`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum Patch {
    /// Everything anew: the first message, and again when the interface was too slow for the changes.
    Reset {
        /// The new snapshot.
        view: View,
    },
    /// [`View::first_run`] changed.
    FirstRun {
        /// Its value.
        first_run: bool,
    },
    /// [`View::secrets`] changed.
    Secrets {
        /// Its value.
        secrets: SecretsView,
    },
    /// A gateway is new or changed.
    Gateway {
        /// The whole of it.
        gateway: GatewayView,
    },
    /// A gateway is gone, and its chats and cards with it.
    GatewayRemoved {
        /// Key.
        id: String,
    },
    /// A chat is new or changed.
    Chat {
        /// The whole of it.
        chat: ChatView,
    },
    /// A card is new or changed.
    Card {
        /// The whole of it.
        card: CardView,
    },
}

/// What a host sends to its interface. The first is a [`Patch::Reset`] with the whole view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum HostMessage {
    /// A change.
    Patch {
        /// The change.
        patch: Patch,
    },
    /// What became of an intent.
    Reply {
        /// The intent's number.
        id: u32,
        /// Why it had no effect; `null` when it had.
        error: Option<IntentError>,
    },
}

/// What an interface sends to its host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct HostRequest {
    /// Number for the reply.
    pub id: u32,
    /// What the person wants.
    pub intent: Intent,
}

/// What a person wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
#[ts(export)]
pub enum Intent {
    /// Connect to a gateway by address and token.
    AddGateway {
        /// `ws://…`, `wss://…`, or just host and port.
        address: String,
        /// The gateway's shared token.
        token: String,
    },
    /// Forget a gateway: its token, its questions, its drafts.
    RemoveGateway {
        /// Key.
        gateway: String,
    },
    /// Try to connect now.
    Reconnect {
        /// Key.
        gateway: String,
    },
    /// Leave the three doors for the built-in gateway.
    UseBuiltIn,
    /// Have a gateway ask a sample question: the built-in one, else the first that is online.
    SendTestQuestion,
    /// Keep secrets in a file only this user can read, since there is no key store.
    AllowSecretFile,
    /// Choose an option, or take it back (several allowed).
    Choose {
        /// The card's key.
        card: String,
        /// Position of the question.
        question: u32,
        /// Position of the option.
        option: u32,
        /// Chosen or not; `false` is ignored where one option is allowed.
        on: bool,
    },
    /// Choose Other, or take it back (several allowed).
    ChooseOther {
        /// The card's key.
        card: String,
        /// Position of the question.
        question: u32,
        /// Chosen or not; `false` is ignored where one option is allowed.
        on: bool,
    },
    /// Free text, whole, at every change. Typing chooses Other.
    Type {
        /// The card's key.
        card: String,
        /// Position of the question.
        question: u32,
        /// As typed.
        text: String,
    },
    /// Send the card's answers.
    Send {
        /// The card's key.
        card: String,
    },
    /// Answer every open question with [`DELEGATION`] and send.
    Delegate {
        /// The card's key.
        card: String,
    },
    /// Decline the whole card.
    Skip {
        /// The card's key.
        card: String,
    },
}

/// The answer of *You decide*.
pub const DELEGATION: &str = "Use your best judgment";

/// Why an intent had no effect. Nothing typed is lost by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
#[error("{detail}")]
pub struct IntentError {
    /// For the interface to choose its words.
    pub code: IntentErrorCode,
    /// In English, for the curious.
    pub detail: String,
}

impl IntentError {
    /// An error of that code.
    pub fn new(code: IntentErrorCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into() }
    }
}

/// Codes of [`IntentError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum IntentErrorCode {
    /// The card or gateway is not there.
    NotFound,
    /// The card ended, or its answer is on its way.
    NotOpen,
    /// A question has no answer yet.
    Incomplete,
    /// The address can't be read, or would send the token in the clear.
    BadAddress,
    /// The token is blank.
    BadToken,
    /// That gateway is there already.
    AlreadyAdded,
    /// There is no key store, and no file was allowed.
    NoKeyStore,
    /// No gateway is online to ask a test question.
    NoGateway,
    /// The change couldn't be stored; nothing was sent.
    NotStored,
    /// The interface sent something that makes no sense.
    Malformed,
}
