//! A disk as small as it can be: keeps what was committed, as the text it would be on a real one.

use std::collections::BTreeMap;

use beckon_core::GatewayConfig;
use beckon_core::draft::Draft;
use beckon_core::outbox::OutboxItem;
use beckon_core::outcome::Outcome;
use beckon_core::store::{Change, Kept, KeptGateway, Row};
use beckon_protocol::question::QuestionRecord;
use serde::Serialize;
use serde::de::DeserializeOwned;

#[derive(Debug, Default, Clone)]
pub(crate) struct Store {
    welcomed: bool,
    gateways: Vec<(GatewayConfig, Rows)>,
}

#[derive(Debug, Default, Clone)]
struct Rows {
    questions: BTreeMap<String, QuestionRecord>,
    outcomes: BTreeMap<String, Outcome>,
    drafts: BTreeMap<String, Draft>,
    outbox: BTreeMap<String, OutboxItem>,
}

impl Store {
    /// One transaction.
    pub(crate) fn commit(&mut self, changes: &[Change]) {
        for change in changes {
            match change {
                Change::Welcomed => self.welcomed = true,
                Change::PutGateway(config) => match self.gateways.iter_mut().find(|(other, _)| other.id == config.id) {
                    Some((known, _)) => known.address.clone_from(&config.address),
                    None => self.gateways.push((config.clone(), Rows::default())),
                },
                Change::RemoveGateway(id) => self.gateways.retain(|(config, _)| config.id != *id),
                Change::Under { gateway, row } => {
                    let known = self.gateways.iter_mut().find(|(config, _)| config.id == *gateway);
                    known.unwrap_or_else(|| panic!("a row under {gateway}, which isn't kept")).1.put(row);
                }
            }
        }
    }

    pub(crate) fn load(&self) -> Kept {
        let gateway = |(config, rows): &(GatewayConfig, Rows)| KeptGateway { config: config.clone(), rows: rows.all() };
        Kept { welcomed: self.welcomed, gateways: self.gateways.iter().map(gateway).collect() }
    }

    pub(crate) fn outbox_item(&self, gateway: &str, question: &str) -> Option<&OutboxItem> {
        self.gateways.iter().find(|(config, _)| config.id == gateway)?.1.outbox.get(question)
    }

    /// How many rows there are under a gateway; `None` when it isn't kept.
    pub(crate) fn rows(&self, gateway: &str) -> Option<usize> {
        self.gateways.iter().find(|(config, _)| config.id == gateway).map(|(_, rows)| rows.all().len())
    }
}

impl Rows {
    fn put(&mut self, row: &Row) {
        match row {
            Row::Question(record) => drop(self.questions.entry(record.id.clone()).or_insert_with(|| on_disk(record))),
            Row::Outcome { question, outcome } => {
                assert!(self.questions.contains_key(question), "the ending of {question}, which isn't kept");
                self.outcomes.insert(question.clone(), on_disk(outcome));
            }
            Row::Draft { question, draft: Some(draft) } => drop(self.drafts.insert(question.clone(), on_disk(draft))),
            Row::Draft { question, draft: None } => drop(self.drafts.remove(question)),
            Row::Outbox(item) => drop(self.outbox.insert(item.question.clone(), on_disk(item))),
            Row::OutboxDone { question } => drop(self.outbox.remove(question)),
        }
    }

    fn all(&self) -> Vec<Row> {
        let questions = self.questions.values().cloned().map(Row::Question);
        let outcomes = self
            .outcomes
            .iter()
            .map(|(question, outcome)| Row::Outcome { question: question.clone(), outcome: outcome.clone() });
        let drafts = self
            .drafts
            .iter()
            .map(|(question, draft)| Row::Draft { question: question.clone(), draft: Some(draft.clone()) });
        questions.chain(outcomes).chain(drafts).chain(self.outbox.values().cloned().map(Row::Outbox)).collect()
    }
}

/// There and back.
fn on_disk<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}
