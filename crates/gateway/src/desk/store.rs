//! The database: one SQLite file that only the desk's thread touches.
//!
//! Write-ahead log with `synchronous=FULL`: a commit that returned is on the disk. Several writes share a transaction,
//! which [`Store::write`] opens when the first of them comes and [`Store::commit`] closes.

use std::path::{Path, PathBuf};

use beckon_protocol::Millis;
use beckon_protocol::question::{Answers, QuestionRecord, Resolved, Status};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::OpenError;
use crate::devices::{Applicant, Device};

/// Numbered migrations; the index of the last one is the schema's version.
const MIGRATIONS: [&str; 1] = [include_str!("../../migrations/0001_questions_and_devices.sql")];

/// Marks the file as ours ("BECK"), so that another program's database is never taken for an empty one.
const APPLICATION_ID: i32 = 0x4245_434B;

const COLUMNS: &str = "seq, id, questions, agent_id, session_key, run_id, created_at_ms, expires_at_ms, status, answers, \
                       resolved_by, resolution_id, resolved_at_ms";

/// The open database.
pub(crate) struct Store {
    connection: Connection,
    writing: bool,
}

/// A row of `questions`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kept {
    /// The order of asking.
    pub seq: i64,
    /// What clients see.
    pub record: QuestionRecord,
    /// The resolver's marker.
    pub resolution_id: Option<String>,
}

/// How a question ends.
pub(crate) struct End<'a> {
    /// Never pending.
    pub status: Status,
    /// Only when answered.
    pub answers: Option<&'a Answers>,
    /// As the resolver called itself.
    pub resolved_by: Option<&'a str>,
    /// The resolver's marker.
    pub resolution_id: Option<&'a str>,
}

impl Kept {
    /// How it ended, as `question.resolve` and `question.waitAnswer` tell it.
    pub(crate) fn resolved(&self) -> Resolved {
        Resolved {
            id: None,
            status: self.record.status,
            answers: self.record.answers.clone(),
            resolution_id: self.resolution_id.clone(),
        }
    }
}

impl Store {
    /// Opens or makes the database at `path` and brings its schema up to date.
    pub(crate) fn open(path: &Path) -> Result<Self, OpenError> {
        refuse_lost_data(path)?;
        create_private(path).map_err(|source| OpenError::Io { path: path.to_owned(), source })?;
        let failed = |source| OpenError::database(path, source);
        let connection = Connection::open(path).map_err(failed)?;
        let mut store = Self { connection, writing: false };
        store.migrate(path)?;
        store.configure().map_err(failed)?;
        Ok(store)
    }

    fn migrate(&mut self, path: &Path) -> Result<(), OpenError> {
        let failed = |source| OpenError::database(path, source);
        let pragma = |name: &str| self.connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
        let version = pragma("user_version").map_err(failed)?;
        let owner = pragma("application_id").map_err(failed)?;
        let tables: i64 =
            self.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(failed)?;
        if tables > 0 && owner != i64::from(APPLICATION_ID) {
            return Err(OpenError::Foreign(path.to_owned()));
        }
        let known = MIGRATIONS.len();
        let done = match usize::try_from(version) {
            Ok(done) if done <= known => done,
            _ => return Err(OpenError::TooNew { path: path.to_owned(), found: version, known }),
        };
        for (index, migration) in MIGRATIONS.iter().enumerate().skip(done) {
            let transaction = self.connection.transaction().map_err(failed)?;
            transaction.execute_batch(migration).map_err(failed)?;
            transaction.pragma_update(None, "user_version", version_after(index)).map_err(failed)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
            transaction.commit().map_err(failed)?;
        }
        Ok(())
    }

    fn configure(&self) -> rusqlite::Result<()> {
        let set = |name, value: &str| self.connection.pragma_update_and_check(None, name, value, |_| Ok(()));
        set("journal_mode", "WAL")?;
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        // On Apple systems an ordinary fsync leaves the data in the drive's cache. Elsewhere these do nothing.
        self.connection.pragma_update(None, "fullfsync", "ON")?;
        self.connection.pragma_update(None, "checkpoint_fullfsync", "ON")?;
        self.connection.pragma_update(None, "foreign_keys", "ON")?;
        self.connection.set_prepared_statement_cache_capacity(16);
        Ok(())
    }

    /// Everything that is pending, oldest first.
    pub(crate) fn pending(&self) -> rusqlite::Result<Vec<Kept>> {
        let query = format!("SELECT {COLUMNS} FROM questions WHERE status = 'pending' ORDER BY seq");
        let mut statement = self.connection.prepare_cached(&query)?;
        statement.query_map([], kept)?.collect()
    }

    /// The question of that id, pending or ended.
    pub(crate) fn question(&self, id: &str) -> rusqlite::Result<Option<Kept>> {
        let query = format!("SELECT {COLUMNS} FROM questions WHERE id = ?1");
        self.connection.prepare_cached(&query)?.query_row([id], kept).optional()
    }

    /// Adds a pending question and returns its place in the order; `None` when its id is taken.
    pub(crate) fn insert(&mut self, record: &QuestionRecord) -> rusqlite::Result<Option<i64>> {
        self.write()?;
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO questions
                (id, questions, agent_id, session_key, run_id, created_at_ms, expires_at_ms, status)
             VALUES (:id, :questions, :agent, :session, :run, :created, :expires, 'pending')
             ON CONFLICT (id) DO NOTHING",
        )?;
        let added = statement.execute(named_params! {
            ":id": record.id,
            ":questions": json(&record.questions)?,
            ":agent": record.agent_id,
            ":session": record.session_key,
            ":run": record.run_id,
            ":created": integer(record.created_at_ms),
            ":expires": integer(record.expires_at_ms),
        })?;
        Ok((added == 1).then(|| self.connection.last_insert_rowid()))
    }

    /// Ends a pending question; `false` when it isn't pending.
    pub(crate) fn end(&mut self, seq: i64, end: &End<'_>, now: Millis) -> rusqlite::Result<bool> {
        self.write()?;
        let mut statement = self.connection.prepare_cached(
            "UPDATE questions
             SET status = :status, answers = :answers, resolved_by = :by, resolution_id = :resolution,
                 resolved_at_ms = :now
             WHERE seq = :seq AND status = 'pending'",
        )?;
        let changed = statement.execute(named_params! {
            ":status": status_name(end.status),
            ":answers": end.answers.map(json).transpose()?,
            ":by": end.resolved_by,
            ":resolution": end.resolution_id,
            ":now": integer(now),
            ":seq": seq,
        })?;
        Ok(changed == 1)
    }

    /// The device in that role.
    pub(crate) fn device(&self, id: &str, role: &str) -> rusqlite::Result<Option<Device>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT scopes, token, token_issued_at_ms FROM devices WHERE device_id = ?1 AND role = ?2",
        )?;
        let device = |row: &Row<'_>| {
            Ok(Device { scopes: from_json(row, 0)?, token: row.get(1)?, issued_at_ms: millis(row, 2)? })
        };
        statement.query_row([id, role], device).optional()
    }

    /// Adds a device, or changes what it is approved for.
    pub(crate) fn put_device(&mut self, applicant: &Applicant, device: &Device) -> rusqlite::Result<()> {
        self.write()?;
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO devices (device_id, role, public_key, display_name, client_id, platform, device_family,
                                  scopes, approved_at_ms, token, token_issued_at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?9)
             ON CONFLICT (device_id, role) DO UPDATE SET
                display_name = excluded.display_name, client_id = excluded.client_id, platform = excluded.platform,
                device_family = excluded.device_family, scopes = excluded.scopes,
                approved_at_ms = excluded.approved_at_ms, token = excluded.token,
                token_issued_at_ms = excluded.token_issued_at_ms",
        )?;
        let Applicant { device_id, role, public_key, client, .. } = applicant;
        statement.execute(params![
            device_id,
            role,
            public_key,
            client.display_name,
            client.id,
            client.platform,
            client.device_family,
            json(&device.scopes)?,
            integer(device.issued_at_ms),
            device.token,
        ])?;
        Ok(())
    }

    /// As if the disk had room for so many pages.
    #[cfg(test)]
    pub(crate) fn limit_pages(&mut self, pages: u32) {
        let set = self.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()));
        assert_eq!(set, Ok(()));
    }

    fn write(&mut self) -> rusqlite::Result<()> {
        if !self.writing {
            self.connection.execute_batch("BEGIN IMMEDIATE")?;
            self.writing = true;
        }
        Ok(())
    }

    /// Makes everything written since the last commit durable. Does nothing when nothing was written.
    pub(crate) fn commit(&mut self) -> rusqlite::Result<()> {
        if self.writing {
            self.connection.execute_batch("COMMIT")?;
            self.writing = false;
        }
        Ok(())
    }

    /// Forgets everything written since the last commit.
    pub(crate) fn roll_back(&mut self) {
        self.writing = false;
        // After some errors SQLite has rolled back already.
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "the database can't roll back");
        }
    }
}

/// The schema's version once the migration of that index is done.
fn version_after(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX).saturating_add(1)
}

/// A database file that is gone or empty while its log is not: SQLite would start afresh and drop the log.
fn refuse_lost_data(path: &Path) -> Result<(), OpenError> {
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.len());
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if length(path) == 0 && length(&PathBuf::from(log)) > 0 {
        return Err(OpenError::Damaged {
            path: path.to_owned(),
            what: "the file is empty, but its log is not".to_owned(),
        });
    }
    Ok(())
}

/// SQLite gives its log and index the mode of the database.
fn create_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn kept(row: &Row<'_>) -> rusqlite::Result<Kept> {
    let answers: Option<String> = row.get("answers")?;
    Ok(Kept {
        seq: row.get("seq")?,
        record: QuestionRecord {
            id: row.get("id")?,
            questions: from_json(row, 2)?,
            agent_id: row.get("agent_id")?,
            session_key: row.get("session_key")?,
            run_id: row.get("run_id")?,
            created_at_ms: millis(row, 6)?,
            expires_at_ms: millis(row, 7)?,
            status: status(&row.get::<_, String>("status")?)?,
            answers: answers.map(|text| parse(&text, 9)).transpose()?,
            resolved_by: row.get("resolved_by")?,
        },
        resolution_id: row.get("resolution_id")?,
    })
}

fn status_name(status: Status) -> &'static str {
    match status {
        Status::Pending => "pending",
        Status::Answered => "answered",
        Status::Cancelled => "cancelled",
        Status::Expired => "expired",
    }
}

fn status(name: &str) -> rusqlite::Result<Status> {
    [Status::Pending, Status::Answered, Status::Cancelled, Status::Expired]
        .into_iter()
        .find(|&status| status_name(status) == name)
        .ok_or_else(|| rusqlite::Error::FromSqlConversionFailure(8, Type::Text, format!("status {name}").into()))
}

fn json(value: &impl Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

fn from_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    parse(row.get_ref(column)?.as_str()?, column)
}

fn parse<T: DeserializeOwned>(text: &str, column: usize) -> rusqlite::Result<T> {
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into()))
}

fn integer(millis: Millis) -> i64 {
    i64::try_from(millis).unwrap_or(i64::MAX)
}

fn millis(row: &Row<'_>, column: usize) -> rusqlite::Result<Millis> {
    let stored: i64 = row.get(column)?;
    Ok(Millis::try_from(stored).unwrap_or(0))
}
