-- What pools of warm VMs are to have, and what became of it. Times are milliseconds since 1970, durations milliseconds.
CREATE TABLE pool (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    image       TEXT    NOT NULL,         -- the whole reference
    memory_mib  INTEGER NOT NULL,
    cpus        INTEGER NOT NULL,
    depth       INTEGER NOT NULL CHECK (depth > 0),
    max_age     INTEGER NOT NULL CHECK (max_age > 0),
    created_at  INTEGER NOT NULL,
    hits        INTEGER NOT NULL DEFAULT 0, -- starts that got a warm VM
    misses      INTEGER NOT NULL DEFAULT 0, -- starts that could have had one, and there was none
    made        INTEGER NOT NULL DEFAULT 0, -- VMs that were put into it
    failed      INTEGER NOT NULL DEFAULT 0, -- attempts to make one
    last_error  TEXT,                       -- of such an attempt, also after others have succeeded
    failed_at   INTEGER,                    -- of the latest attempt, if it failed
    UNIQUE (image, memory_mib, cpus)
) STRICT;

-- How the VM of a run came to be. Missing for runs of before, and until the guest has answered.
CREATE TABLE run_start (
    run_id      INTEGER NOT NULL PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL CHECK (kind IN ('WARM', 'RESTORED', 'COLD')),
    image_time  INTEGER NOT NULL,           -- what finding the image took
    boot_time   INTEGER NOT NULL            -- what the VM took
) STRICT;
