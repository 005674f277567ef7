-- Everything one device knows. JSON columns hold whole values of the rules (beckon-core); a column never changes meaning.

CREATE TABLE flags (
    name TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE gateways (
    position INTEGER NOT NULL PRIMARY KEY,  -- the order they were added in
    id       TEXT    NOT NULL UNIQUE,
    name     TEXT    NOT NULL,
    address  TEXT    NOT NULL,
    built_in INTEGER NOT NULL CHECK (built_in IN (0, 1))
) STRICT;

CREATE TABLE questions (
    gateway TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
    id      TEXT NOT NULL,
    record  TEXT NOT NULL,  -- QuestionRecord, as first seen
    outcome TEXT,           -- Outcome; NULL while it is open
    PRIMARY KEY (gateway, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE drafts (
    gateway  TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
    question TEXT NOT NULL,
    draft    TEXT NOT NULL,  -- Draft
    PRIMARY KEY (gateway, question)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
    gateway  TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
    question TEXT NOT NULL,
    item     TEXT NOT NULL,  -- OutboxItem
    PRIMARY KEY (gateway, question)
) STRICT, WITHOUT ROWID;
