//! What a person wants, why it had no effect, and the messages that carry both between a host and its interface.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Patch;

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

/// A token as a person typed it; never shown by `Debug`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Token(pub(crate) String);

impl From<&str> for Token {
    fn from(token: &str) -> Self {
        Self(token.to_owned())
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
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
        #[ts(type = "string")]
        token: Token,
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
