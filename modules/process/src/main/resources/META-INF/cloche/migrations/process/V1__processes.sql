-- What changes with every event. What is long and hardly changes is in process_detail, for an update writes a whole row.
CREATE TABLE process (
    key              INTEGER PRIMARY KEY,
    id               TEXT    NOT NULL UNIQUE,
    hash             TEXT    NOT NULL,
    input_type       TEXT    NOT NULL,
    recovery         TEXT    NOT NULL CHECK (recovery IN ('rerunnable', 'owner_bound', 'externally_owned')),
    attempts_allowed INTEGER,
    lease_required   INTEGER NOT NULL CHECK (lease_required IN (0, 1)),
    status           TEXT    NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'cancelled', 'abandoned')),
    last_sequence    INTEGER NOT NULL,
    fence            INTEGER NOT NULL,
    attempts         INTEGER NOT NULL,
    lease_owner      TEXT,
    lease_token      TEXT,
    lease_epoch      TEXT,
    lease_expires    INTEGER,
    lease_claimed_at INTEGER,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    CHECK ((recovery = 'rerunnable') = (attempts_allowed IS NOT NULL)),
    CHECK ((lease_owner IS NULL) = (lease_expires IS NULL) AND (lease_token IS NULL) = (lease_expires IS NULL)
       AND (lease_epoch IS NULL) = (lease_expires IS NULL) AND (lease_claimed_at IS NULL) = (lease_expires IS NULL))
) STRICT;

CREATE INDEX process_running ON process (id) WHERE status = 'running';
CREATE INDEX process_ended ON process (id) WHERE status <> 'running';

-- What workers look through: what nobody holds, and what is held, by when that ends.
CREATE INDEX process_free ON process (input_type, key)
    WHERE status = 'running' AND recovery <> 'externally_owned' AND lease_expires IS NULL;
CREATE INDEX process_leased ON process (input_type, lease_epoch, lease_expires)
    WHERE status = 'running' AND recovery <> 'externally_owned' AND lease_expires IS NOT NULL;

CREATE TABLE process_detail (
    process           INTEGER PRIMARY KEY REFERENCES process (key) ON DELETE CASCADE,
    registration      TEXT NOT NULL,
    output            TEXT,
    external_backend  TEXT,
    external_id       TEXT,
    external_metadata TEXT
) STRICT;

-- The feed. A position is never used twice, because the last row is never deleted: see SqliteTransaction.
CREATE TABLE process_change (
    position   INTEGER PRIMARY KEY,
    process_id TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    sequence   INTEGER NOT NULL,
    event_type TEXT
) STRICT;

-- The key of an event is its position in the feed.
CREATE TABLE process_event (
    key          INTEGER PRIMARY KEY,
    process      INTEGER NOT NULL REFERENCES process (key) ON DELETE CASCADE,
    sequence     INTEGER NOT NULL,
    type         TEXT    NOT NULL,
    payload      TEXT    NOT NULL,
    payload_hash TEXT    NOT NULL,
    replay_key   TEXT,
    caused_by    TEXT,
    at           INTEGER NOT NULL,
    UNIQUE (process, sequence)
) STRICT;

CREATE UNIQUE INDEX process_event_replay ON process_event (process, replay_key) WHERE replay_key IS NOT NULL;
CREATE INDEX process_event_type ON process_event (process, type, sequence);

CREATE TABLE process_wake (
    process      INTEGER NOT NULL REFERENCES process (key) ON DELETE CASCADE,
    sequence     INTEGER NOT NULL,
    wake_id      TEXT    NOT NULL,
    session      TEXT    NOT NULL,
    frame        TEXT,
    event_type   TEXT    NOT NULL,
    input        TEXT    NOT NULL,
    dedupe_key   TEXT    NOT NULL,
    acknowledged INTEGER NOT NULL CHECK (acknowledged IN (0, 1)),
    PRIMARY KEY (process, sequence)
) STRICT;

CREATE INDEX process_wake_pending ON process_wake (session) WHERE acknowledged = 0;

CREATE TABLE process_grant (
    scope   TEXT    NOT NULL,
    process INTEGER NOT NULL REFERENCES process (key) ON DELETE CASCADE,
    session TEXT    NOT NULL,
    frame   TEXT,
    kind    TEXT,
    label   TEXT,
    PRIMARY KEY (scope, process)
) STRICT, WITHOUT ROWID;

CREATE INDEX process_grant_by_process ON process_grant (process, session, scope);
CREATE INDEX process_grant_by_session ON process_grant (session);

CREATE TABLE process_tombstone (
    id        TEXT PRIMARY KEY,
    fence     INTEGER NOT NULL,
    pruned_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
