//! View, Patch, Intent: the whole contract with an interface.
//!
//! A [`View`] is a snapshot, a [`Patch`] one change after it, an [`Intent`] what a person wants. Patches carry whole
//! entities by key, so that applying one twice changes nothing. The interface keeps no state of the domain beside
//! them. TypeScript types are generated into `ui/src/host/bindings` by `cargo xtask bindings`.
//!
//! No words for people here: the interface has the languages. Core gives the facts.

mod card;
mod intent;

use beckon_protocol::Millis;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use self::card::{
    CardState, CardView, OptionView, OtherView, QuestionView, ResolvedBy, SendProblem, SendProblemKind, Sent,
};
pub use self::intent::{DELEGATION, HostMessage, HostRequest, Intent, IntentError, IntentErrorCode, Token};

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
