//! One step of the rules: something came in, and this is what goes out because of it.

use std::collections::{BTreeMap, BTreeSet};

use beckon_protocol::Millis;
use serde_json::Value;

use crate::store::{Change, Row};
use crate::view::Patch;
use crate::world::GatewayConfig;

/// Ties a call to its answer. Never used twice while the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// What goes out after a step. In this order: changes are committed, calls are sent, patches are shown. When the commit
/// fails, the rest must not happen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Effects {
    /// One transaction.
    pub changes: Vec<Change>,
    /// Secrets to keep or forget, before the transaction.
    pub secrets: Vec<SecretChange>,
    /// Calls to gateways that are online.
    pub calls: Vec<Call>,
    /// Links to open, close or hurry.
    pub links: Vec<LinkCommand>,
    /// What an interface sees of it.
    pub patches: Vec<Patch>,
}

/// A call to a gateway.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The gateway's id.
    pub gateway: String,
    /// Under which the answer comes back.
    pub ticket: Ticket,
    /// The method.
    pub method: &'static str,
    /// Its parameters.
    pub params: Value,
}

/// What a link should do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkCommand {
    /// Connect, and stay connected.
    Open(GatewayConfig),
    /// Disconnect for good.
    Close {
        /// The gateway's id.
        gateway: String,
    },
    /// Don't wait for the next attempt.
    Hurry {
        /// The gateway's id.
        gateway: String,
    },
}

/// A secret that changes.
#[derive(Clone, PartialEq, Eq)]
pub enum SecretChange {
    /// Keep a gateway's shared token.
    PutToken {
        /// The gateway's id.
        gateway: String,
        /// The token.
        token: String,
    },
    /// Forget everything secret about a gateway.
    Forget {
        /// The gateway's id.
        gateway: String,
    },
}

/// Leaves the token out.
impl std::fmt::Debug for SecretChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::PutToken { gateway, .. } => {
                f.debug_struct("PutToken").field("gateway", gateway).finish_non_exhaustive()
            }
            Self::Forget { gateway } => f.debug_struct("Forget").field("gateway", gateway).finish(),
        }
    }
}

/// This device, as it presents itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThisDevice {
    /// For people, and `resolvedBy` of its answers, for example `laptop`.
    pub name: String,
    /// Tells its answers apart from those of a device of the same name; at most 64 characters.
    pub tag: String,
}

/// Gathers the effects of one step in one world.
pub(crate) struct Step<'a> {
    pub(crate) now: Millis,
    pub(crate) device: &'a ThisDevice,
    pub(crate) calls: Vec<Call>,
    next_ticket: &'a mut u64,
    gateway: String,
    changes: Vec<Change>,
    /// What an interface has to be told about, by gateway.
    touched: &'a mut Touched,
}

/// What changed and has to be shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Touched {
    pub(crate) gateways: BTreeSet<String>,
    pub(crate) cards: BTreeMap<String, BTreeSet<String>>,
}

impl<'a> Step<'a> {
    pub(crate) fn new(
        gateway: &str,
        now: Millis,
        device: &'a ThisDevice,
        next_ticket: &'a mut u64,
        touched: &'a mut Touched,
    ) -> Self {
        Self { now, device, calls: Vec::new(), next_ticket, gateway: gateway.to_owned(), changes: Vec::new(), touched }
    }

    pub(crate) fn keep(&mut self, row: Row) {
        self.changes.push(Change::Under { gateway: self.gateway.clone(), row });
    }

    pub(crate) fn ticket(&mut self) -> Ticket {
        *self.next_ticket += 1;
        Ticket(*self.next_ticket)
    }

    pub(crate) fn gateway_changed(&mut self) {
        self.touched.gateways.insert(self.gateway.clone());
    }

    pub(crate) fn card_changed(&mut self, question: &str) {
        self.touched.cards.entry(self.gateway.clone()).or_default().insert(question.to_owned());
    }

    pub(crate) fn finish(self, effects: &mut Effects) {
        effects.changes.extend(self.changes);
        effects.calls.extend(self.calls);
    }
}
