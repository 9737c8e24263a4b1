-- Pools of VMs with a network. What is unique of a pool cannot be altered, so the table is made anew; nothing refers to it.
CREATE TABLE pool_new (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    image       TEXT    NOT NULL,         -- the whole reference
    memory_mib  INTEGER NOT NULL,
    cpus        INTEGER NOT NULL,
    network     TEXT    NOT NULL CHECK (network IN ('NONE', 'USER')),
    depth       INTEGER NOT NULL CHECK (depth > 0),
    max_age     INTEGER NOT NULL CHECK (max_age > 0),
    created_at  INTEGER NOT NULL,
    hits        INTEGER NOT NULL DEFAULT 0, -- starts that got a warm VM
    misses      INTEGER NOT NULL DEFAULT 0, -- starts that could have had one, and there was none
    made        INTEGER NOT NULL DEFAULT 0, -- VMs that were put into it
    failed      INTEGER NOT NULL DEFAULT 0, -- attempts to make one
    last_error  TEXT,                       -- of such an attempt, also after others have succeeded
    failed_at   INTEGER,                    -- of the latest attempt, if it failed
    UNIQUE (image, memory_mib, cpus, network)
) STRICT;

INSERT INTO pool_new (id, image, memory_mib, cpus, network, depth, max_age, created_at, hits, misses, made, failed,
    last_error, failed_at)
SELECT id, image, memory_mib, cpus, 'NONE', depth, max_age, created_at, hits, misses, made, failed, last_error, failed_at
FROM pool;

-- No id is given twice: an image may still be held in the name of a pool that is gone.
DELETE FROM sqlite_sequence WHERE name = 'pool_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'pool_new', seq FROM sqlite_sequence WHERE name = 'pool';

DROP TABLE pool;
ALTER TABLE pool_new RENAME TO pool;
