-- Sandboxes whose memory is on the disk. A CHECK cannot be altered, and a table that others refer to cannot be made anew without
-- all of them; so the column is.
DROP INDEX sandbox_by_status;
DROP INDEX sandbox_active;
ALTER TABLE sandbox RENAME COLUMN status TO status_before;
ALTER TABLE sandbox ADD COLUMN status TEXT NOT NULL DEFAULT 'CREATED' CHECK
    (status IN ('CREATED', 'STARTING', 'RUNNING', 'PAUSED', 'SUSPENDING', 'SUSPENDED', 'RESUMING', 'DRAINING', 'STOPPED',
                'CRASHED'));
UPDATE sandbox SET status = status_before;
ALTER TABLE sandbox DROP COLUMN status_before;
CREATE INDEX sandbox_by_status ON sandbox (ephemeral, status);
CREATE INDEX sandbox_active ON sandbox (id)
    WHERE status IN ('STARTING', 'RUNNING', 'PAUSED', 'SUSPENDING', 'SUSPENDED', 'RESUMING', 'DRAINING');

-- Of runs that were suspended: the memory that they go on from, or went on from last, and what is left of their longest duration.
CREATE TABLE run_suspension (
    run_id       INTEGER NOT NULL PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
    snapshot_id  INTEGER NOT NULL UNIQUE,  -- of sandbox_snapshot; of another room, so it is not referred to
    held         INTEGER NOT NULL CHECK (held IN (0, 1)), -- whether the run goes on from it; otherwise it has
    time_left    INTEGER CHECK (time_left > 0), -- milliseconds, from resumed_at on; NULL without a limit
    resumed_at   INTEGER -- milliseconds since 1970; NULL before
) STRICT;
