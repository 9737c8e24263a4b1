-- A CHECK cannot be altered, so the tables are made anew. The runs go first: dropping a table that others refer to would
-- delete their rows. Times are milliseconds since 1970, durations milliseconds.

CREATE TABLE sandbox_new (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    name             TEXT    NOT NULL UNIQUE,
    directory        TEXT    NOT NULL UNIQUE, -- of its files, in sandboxes/; stays when it is renamed
    image            TEXT    NOT NULL,        -- as it was asked for
    manifest         TEXT,                    -- digest of what it got, and gets again at every start
    command          TEXT    NOT NULL,        -- for people
    status           TEXT    NOT NULL CHECK
        (status IN ('CREATED', 'STARTING', 'RUNNING', 'PAUSED', 'DRAINING', 'STOPPED', 'CRASHED')),
    ephemeral        INTEGER NOT NULL CHECK (ephemeral IN (0, 1)),
    memory_mib       INTEGER NOT NULL,
    cpus             INTEGER NOT NULL,
    disk_mib         INTEGER CHECK (disk_mib > 0), -- of its writable disk; without one it writes to its memory
    max_duration     INTEGER CHECK (max_duration > 0),
    idle_timeout     INTEGER CHECK (idle_timeout > 0),
    start_timeout    INTEGER NOT NULL CHECK (start_timeout > 0),
    restart          TEXT    NOT NULL CHECK (restart IN ('NO', 'ON_FAILURE', 'ALWAYS')),
    restart_limit    INTEGER CHECK (restart_limit IS NULL OR (restart_limit > 0 AND restart = 'ON_FAILURE')),
    restarts         INTEGER NOT NULL CHECK (restarts >= 0), -- in a row, since somebody last started it
    kept_runs        INTEGER NOT NULL CHECK (kept_runs > 0),
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL         -- of its status
) STRICT;

CREATE TABLE run_new (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    sandbox_id       INTEGER NOT NULL REFERENCES sandbox_new (id) ON DELETE CASCADE,
    vm_id            TEXT    NOT NULL UNIQUE,
    detached         INTEGER NOT NULL CHECK (detached IN (0, 1)),
    owner_pid        INTEGER NOT NULL,        -- who started or adopted it last
    owner_start_time INTEGER NOT NULL,
    owner_boot_id    TEXT    NOT NULL,
    guard_pid        INTEGER,                 -- the VM's process for the outside; known once its guest has answered
    guard_start_time INTEGER,
    guard_boot_id    TEXT,
    status           TEXT    NOT NULL CHECK (status IN ('RUNNING', 'TERMINATED')),
    asked            TEXT    CHECK
        (asked IN ('IDLE_TIMEOUT', 'AGENT_UNRESPONSIVE', 'SHUTDOWN_REQUESTED', 'DRAIN_REQUESTED', 'SIGNAL')),
    reason           TEXT    CHECK
        (reason IN ('COMPLETED', 'FAILED', 'MAX_DURATION_EXCEEDED', 'IDLE_TIMEOUT', 'AGENT_UNRESPONSIVE',
                    'SHUTDOWN_REQUESTED', 'DRAIN_REQUESTED', 'SIGNAL', 'INTERNAL_ERROR')),
    exit_code        INTEGER,
    exit_signal      INTEGER,
    detail           TEXT,
    started_at       INTEGER NOT NULL,
    ready_at         INTEGER,                 -- when its guest had answered
    terminated_at    INTEGER,
    CHECK ((status = 'TERMINATED') = (reason IS NOT NULL AND terminated_at IS NOT NULL)),
    CHECK ((guard_pid IS NULL) = (guard_start_time IS NULL) AND (guard_pid IS NULL) = (guard_boot_id IS NULL))
) STRICT;

INSERT INTO sandbox_new
SELECT id, name, name || '-' || id, image, NULL, command, status, ephemeral, memory_mib, cpus, NULL,
       NULL, NULL, 1800000, 'NO', NULL, 0, 5, created_at, updated_at
FROM sandbox;

INSERT INTO run_new
SELECT id, sandbox_id, vm_id, detached, owner_pid, owner_start_time, owner_boot_id, NULL, NULL, NULL, status,
       NULL, reason, exit_code, exit_signal, detail, started_at, NULL, terminated_at
FROM run;

-- Ids are never given twice, also those of rows that are gone.
DELETE FROM sqlite_sequence WHERE name IN ('sandbox_new', 'run_new');
INSERT INTO sqlite_sequence (name, seq)
SELECT name || '_new', seq FROM sqlite_sequence WHERE name IN ('sandbox', 'run');

DROP TABLE run;
DROP TABLE sandbox;
ALTER TABLE sandbox_new RENAME TO sandbox;
ALTER TABLE run_new RENAME TO run;

CREATE INDEX sandbox_by_status ON sandbox (ephemeral, status);
CREATE INDEX sandbox_by_image ON sandbox (image);
CREATE INDEX sandbox_active ON sandbox (id) WHERE status IN ('STARTING', 'RUNNING', 'PAUSED', 'DRAINING');
CREATE INDEX run_by_sandbox ON run (sandbox_id, id);
CREATE UNIQUE INDEX run_active ON run (sandbox_id) WHERE status = 'RUNNING';

CREATE TABLE sandbox_label (
    sandbox_id INTEGER NOT NULL REFERENCES sandbox (id) ON DELETE CASCADE,
    key        TEXT    NOT NULL,
    value      TEXT    NOT NULL,
    PRIMARY KEY (sandbox_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX sandbox_label_value ON sandbox_label (key, value, sandbox_id);

-- What a start needs to know of the main command, and nothing else reads. Missing for sandboxes of before.
CREATE TABLE sandbox_command (
    sandbox_id        INTEGER NOT NULL PRIMARY KEY REFERENCES sandbox (id) ON DELETE CASCADE,
    user              TEXT,
    working_directory TEXT
) STRICT;

CREATE TABLE sandbox_word (
    sandbox_id INTEGER NOT NULL REFERENCES sandbox_command (sandbox_id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    word       TEXT    NOT NULL,
    PRIMARY KEY (sandbox_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE sandbox_variable (
    sandbox_id INTEGER NOT NULL REFERENCES sandbox_command (sandbox_id) ON DELETE CASCADE,
    name       TEXT    NOT NULL,
    value      TEXT    NOT NULL,
    PRIMARY KEY (sandbox_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE sandbox_limit (
    sandbox_id INTEGER NOT NULL REFERENCES sandbox_command (sandbox_id) ON DELETE CASCADE,
    resource   TEXT    NOT NULL,
    soft       INTEGER NOT NULL,
    hard       INTEGER NOT NULL,
    PRIMARY KEY (sandbox_id, resource)
) STRICT, WITHOUT ROWID;

-- What happened, the newest some thousands. Without a reference to the sandbox, because it outlives it.
CREATE TABLE sandbox_event (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    at          INTEGER NOT NULL,
    kind        TEXT    NOT NULL,
    sandbox_id  INTEGER NOT NULL,
    name        TEXT    NOT NULL,
    image       TEXT    NOT NULL,
    reason      TEXT,
    exit_code   INTEGER,
    exit_signal INTEGER,
    detail      TEXT
) STRICT;
