//! What is kept on disk, as the rules see it. The client implements it with SQLite.

use beckon_protocol::question::QuestionRecord;

use crate::draft::Draft;
use crate::outbox::OutboxItem;
use crate::outcome::Outcome;
use crate::world::GatewayConfig;

/// One row that changes. All changes of one step are one transaction.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A gateway was added.
    PutGateway(GatewayConfig),
    /// A gateway was removed, and everything under it.
    RemoveGateway(String),
    /// A door was taken.
    Welcomed,
    /// A row under a gateway.
    Under {
        /// The gateway's id.
        gateway: String,
        /// The row.
        row: Row,
    },
}

/// One row under a gateway.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    /// A request was seen for the first time.
    Question(QuestionRecord),
    /// How a request ended, as far as is known now.
    Outcome {
        /// The request's id.
        question: String,
        /// The whole outcome.
        outcome: Outcome,
    },
    /// A draft, whole.
    Draft {
        /// The request's id.
        question: String,
        /// `None` removes it.
        draft: Option<Draft>,
    },
    /// An item of the outbox, whole.
    Outbox(OutboxItem),
    /// An item of the outbox left.
    OutboxDone {
        /// The request's id.
        question: String,
    },
}

/// Everything that was kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kept {
    /// A door was taken.
    pub welcomed: bool,
    /// In the order they were added.
    pub gateways: Vec<KeptGateway>,
}

/// Everything that was kept about one gateway. The built-in one has an entry once anything was kept under it.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptGateway {
    /// Name and address.
    pub config: GatewayConfig,
    /// Everything under it, in an order in which it can be applied.
    pub rows: Vec<Row>,
}
