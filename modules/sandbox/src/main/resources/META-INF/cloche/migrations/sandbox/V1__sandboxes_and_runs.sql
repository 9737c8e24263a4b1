CREATE TABLE sandbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT    NOT NULL UNIQUE,
    image       TEXT    NOT NULL,
    command     TEXT    NOT NULL,
    status      TEXT    NOT NULL CHECK (status IN ('CREATED', 'STARTING', 'RUNNING', 'DRAINING', 'STOPPED', 'CRASHED')),
    ephemeral   INTEGER NOT NULL CHECK (ephemeral IN (0, 1)),
    memory_mib  INTEGER NOT NULL,
    cpus        INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX sandbox_by_status ON sandbox (ephemeral, status);

CREATE TABLE run (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    sandbox_id       INTEGER NOT NULL REFERENCES sandbox (id) ON DELETE CASCADE,
    vm_id            TEXT    NOT NULL UNIQUE,
    detached         INTEGER NOT NULL CHECK (detached IN (0, 1)),
    owner_pid        INTEGER NOT NULL,
    owner_start_time INTEGER NOT NULL,
    owner_boot_id    TEXT    NOT NULL,
    status           TEXT    NOT NULL CHECK (status IN ('RUNNING', 'TERMINATED')),
    reason           TEXT,
    exit_code        INTEGER,
    exit_signal      INTEGER,
    detail           TEXT,
    started_at       INTEGER NOT NULL,
    terminated_at    INTEGER,
    CHECK ((status = 'TERMINATED') = (reason IS NOT NULL AND terminated_at IS NOT NULL))
) STRICT;

CREATE INDEX run_by_sandbox ON run (sandbox_id, id);
CREATE INDEX run_active ON run (sandbox_id) WHERE status = 'RUNNING';
