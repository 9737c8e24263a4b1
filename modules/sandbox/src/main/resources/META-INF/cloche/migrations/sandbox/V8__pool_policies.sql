-- How the depth of a pool is found, who prepares its VMs, and when it is tried again after a failure.
ALTER TABLE pool ADD COLUMN min_depth INTEGER CHECK (min_depth >= 0); -- up to depth by demand; NULL: always depth
ALTER TABLE pool ADD COLUMN cold_after INTEGER CHECK (cold_after > 0); -- milliseconds without demand; NULL: never
ALTER TABLE pool ADD COLUMN in_process INTEGER NOT NULL DEFAULT 0 CHECK (in_process IN (0, 1)); -- by functions
ALTER TABLE pool ADD COLUMN retry_at INTEGER; -- after the latest attempt, if it failed

-- The command that runs in each new VM of a pool before it waits.
CREATE TABLE pool_word (
    pool_id  INTEGER NOT NULL REFERENCES pool (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    word     TEXT    NOT NULL,
    PRIMARY KEY (pool_id, position)
) STRICT;
