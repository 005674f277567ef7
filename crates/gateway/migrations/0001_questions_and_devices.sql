-- A question, from the moment it is acknowledged, for good. Rows are never deleted.
CREATE TABLE questions (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of asking
    id             TEXT    NOT NULL UNIQUE,
    questions      TEXT    NOT NULL,                  -- JSON, one to three, as asked
    agent_id       TEXT,
    session_key    TEXT,
    run_id         TEXT,
    created_at_ms  INTEGER NOT NULL,
    expires_at_ms  INTEGER NOT NULL,
    status         TEXT    NOT NULL CHECK (status IN ('pending', 'answered', 'cancelled', 'expired')),
    answers        TEXT,                              -- JSON, canonical; only when answered
    resolved_by    TEXT,                              -- as the resolver called itself
    resolution_id  TEXT,                              -- the same at every retry of one answer
    resolved_at_ms INTEGER,                           -- when it ended; absent while pending
    CHECK ((status = 'pending') = (resolved_at_ms IS NULL)),
    CHECK ((status = 'answered') = (answers IS NOT NULL))
) STRICT;

-- The ones a start loads.
CREATE INDEX questions_pending ON questions (seq) WHERE status = 'pending';

-- A device in one role, with what it was approved for.
CREATE TABLE devices (
    device_id          TEXT    NOT NULL,
    role               TEXT    NOT NULL,
    public_key         TEXT    NOT NULL,
    display_name       TEXT,
    client_id          TEXT    NOT NULL,
    platform           TEXT    NOT NULL,
    device_family      TEXT,
    scopes             TEXT    NOT NULL,              -- JSON array, in the order of approval
    approved_at_ms     INTEGER NOT NULL,
    token              TEXT    NOT NULL UNIQUE,       -- see devices.rs for why it is not a hash
    token_issued_at_ms INTEGER NOT NULL,
    PRIMARY KEY (device_id, role)
) STRICT, WITHOUT ROWID;
