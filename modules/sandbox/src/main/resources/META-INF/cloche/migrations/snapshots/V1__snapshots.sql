-- Snapshots of sandboxes. Times are milliseconds since 1970, durations milliseconds but for the pause.

CREATE TABLE sandbox_snapshot (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT    UNIQUE,          -- none: of a fork, or going
    status        TEXT    NOT NULL CHECK (status IN ('TAKING', 'READY', 'REMOVING')),
    contents      TEXT    NOT NULL CHECK (contents IN ('MEMORY', 'DISK')),
    directory     TEXT    NOT NULL UNIQUE, -- of its files, in sandbox-snapshots/
    source        TEXT    NOT NULL,        -- the name that its sandbox had
    image         TEXT    NOT NULL,        -- as it was asked for
    manifest      TEXT    NOT NULL,
    memory_mib    INTEGER NOT NULL,
    cpus          INTEGER NOT NULL,
    disk_mib      INTEGER CHECK (disk_mib > 0),
    network       INTEGER NOT NULL CHECK (network IN (0, 1)),
    name_server   TEXT,                    -- an address; without one the host's
    max_duration  INTEGER CHECK (max_duration > 0),
    idle_timeout  INTEGER CHECK (idle_timeout > 0),
    start_timeout INTEGER NOT NULL CHECK (start_timeout > 0),
    pause_nanos   INTEGER CHECK (pause_nanos >= 0), -- for which its sandbox was halted
    created_at    INTEGER NOT NULL,
    CHECK (name IS NULL OR status <> 'REMOVING')
) STRICT;

-- What its sandbox runs, as in sandbox_command; missing where that was not recorded.
CREATE TABLE snapshot_command (
    snapshot_id       INTEGER NOT NULL PRIMARY KEY REFERENCES sandbox_snapshot (id) ON DELETE CASCADE,
    user              TEXT,
    working_directory TEXT
) STRICT;

CREATE TABLE snapshot_word (
    snapshot_id INTEGER NOT NULL REFERENCES snapshot_command (snapshot_id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    word        TEXT    NOT NULL,
    PRIMARY KEY (snapshot_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshot_variable (
    snapshot_id INTEGER NOT NULL REFERENCES snapshot_command (snapshot_id) ON DELETE CASCADE,
    name        TEXT    NOT NULL,
    value       TEXT    NOT NULL,
    PRIMARY KEY (snapshot_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshot_limit (
    snapshot_id INTEGER NOT NULL REFERENCES snapshot_command (snapshot_id) ON DELETE CASCADE,
    resource    TEXT    NOT NULL,
    soft        INTEGER NOT NULL,
    hard        INTEGER NOT NULL,
    PRIMARY KEY (snapshot_id, resource)
) STRICT, WITHOUT ROWID;
