//! The device's own database: gateways, questions and how they ended, drafts, outbox.
//!
//! One file, one connection, owned by the thread that drives the rules. Each [`Store::commit`] is one transaction that
//! is on the disk when it returns (WAL, `synchronous=FULL`): what a person typed or promised survives a kill at any
//! later instant. A database of a newer program, or one that is damaged, is refused and left as it is.

use std::path::{Path, PathBuf};

use beckon_core::GatewayConfig;
use beckon_core::store::{Change, Kept, KeptGateway, Row};
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Numbered from 1; `PRAGMA user_version` counts those that were applied.
const MIGRATIONS: [&str; 1] = [include_str!("../migrations/0001_start.sql")];

/// Why the database can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A newer Beckon wrote it.
    #[error(
        "{path} was written by a newer Beckon (schema {found}, this one knows {known}): update Beckon; nothing was changed"
    )]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The newest schema this program knows.
        known: u32,
    },
    /// SQLite refuses.
    #[error("the database can't be used: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A value in it can't be read.
    #[error("a value in the database can't be read: {0}")]
    Value(#[from] serde_json::Error),
}

/// The device's own database.
pub(crate) struct Store {
    connection: Connection,
}

impl Store {
    /// Opens or makes the file and brings its schema up to date.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let mut connection = Connection::open(path)?;
        let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let known = (1u32..).zip(MIGRATIONS).last().map_or(0, |(number, _)| number);
        if found > known {
            return Err(StoreError::TooNew { path: path.to_owned(), found, known });
        }
        // Only now: the mode of the journal is written into the file.
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        let transaction = connection.transaction()?;
        for (number, migration) in (1u32..).zip(MIGRATIONS).filter(|(number, _)| *number > found) {
            transaction.execute_batch(migration)?;
            transaction.pragma_update(None, "user_version", number)?;
        }
        transaction.commit()?;
        Ok(Self { connection })
    }

    /// Everything that was kept.
    pub(crate) fn load(&self) -> Result<Kept, StoreError> {
        let welcomed = self
            .connection
            .query_row("SELECT 1 FROM flags WHERE name = 'welcomed'", [], |_| Ok(()))
            .optional()?
            .is_some();
        let mut statement =
            self.connection.prepare("SELECT id, name, address, built_in FROM gateways ORDER BY position")?;
        let configs = statement.query_map([], |row| {
            Ok(GatewayConfig { id: row.get(0)?, name: row.get(1)?, address: row.get(2)?, built_in: row.get(3)? })
        })?;
        let mut gateways = Vec::new();
        for config in configs {
            let config = config?;
            gateways.push(KeptGateway { rows: self.rows(&config.id)?, config });
        }
        Ok(Kept { welcomed, gateways })
    }

    fn rows(&self, gateway: &str) -> Result<Vec<Row>, StoreError> {
        let mut rows = Vec::new();
        let mut statement = self.connection.prepare("SELECT id, record, outcome FROM questions WHERE gateway = ?1")?;
        let mut found = statement.query([gateway])?;
        while let Some(row) = found.next()? {
            rows.push(Row::Question(json(&row.get::<_, String>(1)?)?));
            if let Some(outcome) = row.get::<_, Option<String>>(2)? {
                rows.push(Row::Outcome { question: row.get(0)?, outcome: json(&outcome)? });
            }
        }
        let mut statement = self.connection.prepare("SELECT question, draft FROM drafts WHERE gateway = ?1")?;
        let mut found = statement.query([gateway])?;
        while let Some(row) = found.next()? {
            rows.push(Row::Draft { question: row.get(0)?, draft: Some(json(&row.get::<_, String>(1)?)?) });
        }
        let mut statement = self.connection.prepare("SELECT item FROM outbox WHERE gateway = ?1")?;
        let mut found = statement.query([gateway])?;
        while let Some(row) = found.next()? {
            rows.push(Row::Outbox(json(&row.get::<_, String>(0)?)?));
        }
        Ok(rows)
    }

    /// All or nothing; on the disk when it returns.
    pub(crate) fn commit(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        if changes.is_empty() {
            return Ok(());
        }
        let transaction = self.connection.transaction()?;
        for change in changes {
            apply(&transaction, change)?;
        }
        transaction.commit()?;
        Ok(())
    }
}

fn apply(transaction: &Transaction<'_>, change: &Change) -> Result<(), StoreError> {
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| transaction.prepare_cached(sql)?.execute(values);
    match change {
        Change::Welcomed => run("INSERT OR IGNORE INTO flags (name) VALUES ('welcomed')", &[])?,
        Change::PutGateway(GatewayConfig { id, name, address, built_in }) => run(
            "INSERT INTO gateways (id, name, address, built_in) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (id) DO UPDATE SET name = excluded.name, address = excluded.address",
            params![id, name, address, built_in],
        )?,
        Change::RemoveGateway(id) => run("DELETE FROM gateways WHERE id = ?1", params![id])?,
        Change::Under { gateway, row } => match row {
            Row::Question(record) => run(
                "INSERT OR IGNORE INTO questions (gateway, id, record) VALUES (?1, ?2, ?3)",
                params![gateway, record.id, text(record)?],
            )?,
            Row::Outcome { question, outcome } => run(
                "UPDATE questions SET outcome = ?3 WHERE gateway = ?1 AND id = ?2",
                params![gateway, question, text(outcome)?],
            )?,
            Row::Draft { question, draft: Some(draft) } => run(
                "INSERT INTO drafts (gateway, question, draft) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET draft = excluded.draft",
                params![gateway, question, text(draft)?],
            )?,
            Row::Draft { question, draft: None } => {
                run("DELETE FROM drafts WHERE gateway = ?1 AND question = ?2", params![gateway, question])?
            }
            Row::Outbox(item) => run(
                "INSERT INTO outbox (gateway, question, item) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET item = excluded.item",
                params![gateway, item.question, text(item)?],
            )?,
            Row::OutboxDone { question } => {
                run("DELETE FROM outbox WHERE gateway = ?1 AND question = ?2", params![gateway, question])?
            }
        },
    };
    Ok(())
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    Ok(serde_json::from_str(text)?)
}

fn text(value: &impl Serialize) -> Result<String, StoreError> {
    Ok(serde_json::to_string(value)?)
}

#[cfg(test)]
mod tests {
    use beckon_core::outbox::OutboxItem;
    use beckon_core::outcome::Outcome;
    use beckon_core::view::Sent;
    use serde_json::json;

    use super::*;

    fn gateway(id: &str) -> GatewayConfig {
        GatewayConfig { id: id.into(), name: id.into(), address: format!("ws://{id}"), built_in: false }
    }

    fn under(gateway: &str, row: Row) -> Change {
        Change::Under { gateway: gateway.into(), row }
    }

    fn question(id: &str) -> Row {
        let record = json!({ "id": id, "questions": [], "createdAtMs": 1, "expiresAtMs": 2, "status": "pending" });
        Row::Question(serde_json::from_value(record).unwrap())
    }

    #[test]
    fn what_was_committed_is_there_after_reopening() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("app.sqlite");
        let item = OutboxItem {
            question: "q".into(),
            sent: Sent::Skip,
            answers: None,
            resolution_id: "r".into(),
            attempts: 1,
        };
        let outcome = Row::Outcome { question: "q".into(), outcome: Outcome::unknown(Some(Sent::Skip)) };
        let mut store = Store::open(&path).unwrap();
        store
            .commit(&[
                Change::Welcomed,
                Change::PutGateway(gateway("b")),
                Change::PutGateway(gateway("a")),
                under("a", question("q")),
                under("a", outcome.clone()),
                under("a", Row::Outbox(item.clone())),
            ])
            .unwrap();
        drop(store);
        let kept = Store::open(&path).unwrap().load().unwrap();
        assert!(kept.welcomed);
        assert_eq!(kept.gateways.iter().map(|kept| kept.config.id.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(kept.gateways[1].rows, [question("q"), outcome, Row::Outbox(item)]);
    }

    #[test]
    fn a_removed_gateway_takes_its_rows_along() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(&dir.path().join("app.sqlite")).unwrap();
        store.commit(&[Change::PutGateway(gateway("a")), under("a", question("q"))]).unwrap();
        store.commit(&[Change::RemoveGateway("a".into())]).unwrap();
        store.commit(&[Change::PutGateway(gateway("a"))]).unwrap();
        assert_eq!(store.load().unwrap().gateways[0].rows, []);
    }

    #[test]
    fn a_step_is_kept_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(&dir.path().join("app.sqlite")).unwrap();
        // The second row has no gateway to be under.
        assert!(store.commit(&[Change::Welcomed, under("nowhere", question("q"))]).is_err());
        assert!(!store.load().unwrap().welcomed);
    }

    #[test]
    fn a_newer_database_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("app.sqlite");
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let before = std::fs::read(&path).unwrap();
        assert!(matches!(Store::open(&path), Err(StoreError::TooNew { found: 99, .. })));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}
