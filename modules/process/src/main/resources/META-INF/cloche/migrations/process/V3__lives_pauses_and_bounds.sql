-- Lives: sequences go on where the last life of an id ended. A tombstone without a sequence is of an older program; every
-- position of the feed is beyond any sequence, so the next life begins behind those.
ALTER TABLE process ADD COLUMN first_sequence INTEGER NOT NULL DEFAULT 1;
ALTER TABLE process_tombstone ADD COLUMN last_sequence INTEGER;

-- What is remembered of ids that are pruned and have no tombstone any more, and where the feed begins.
CREATE TABLE process_floor (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    fence    INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    feed     INTEGER NOT NULL
) STRICT;
INSERT INTO process_floor (one, fence, sequence, feed) VALUES (1, 0, 0, 0);

-- When something last happened to a process that has ended, in time that nobody can set.
ALTER TABLE process ADD COLUMN idle_epoch TEXT;
ALTER TABLE process ADD COLUMN idle_since INTEGER;

-- Pauses: no worker is offered a process before its pause is over. A process of Recovery.Retrying is stored as a
-- rerunnable one that may lose one owner more than it is retried, with its back-off in milliseconds.
ALTER TABLE process ADD COLUMN pause_epoch TEXT;
ALTER TABLE process ADD COLUMN pause_until INTEGER;
ALTER TABLE process ADD COLUMN returns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE process ADD COLUMN retry_first INTEGER;
ALTER TABLE process ADD COLUMN retry_most INTEGER;

-- What operators and workers ask for.
ALTER TABLE process ADD COLUMN host_profile TEXT;
ALTER TABLE process ADD COLUMN started_at INTEGER;
ALTER TABLE process_detail ADD COLUMN returned_for TEXT;
ALTER TABLE process_detail ADD COLUMN lost_owner TEXT;
UPDATE process SET
    host_profile = (SELECT json_extract(d.registration, '$.provenance.host_profile_id')
                    FROM process_detail d WHERE d.process = process.key),
    started_at = CASE WHEN attempts <= 1 THEN lease_claimed_at END;

DROP INDEX process_free;
CREATE INDEX process_free ON process (input_type, key)
    WHERE status = 'running' AND recovery <> 'externally_owned' AND lease_expires IS NULL AND pause_until IS NULL;
CREATE INDEX process_free_for ON process (input_type, host_profile, key)
    WHERE status = 'running' AND recovery <> 'externally_owned' AND lease_expires IS NULL AND pause_until IS NULL;
CREATE INDEX process_paused ON process (input_type, pause_epoch, pause_until)
    WHERE status = 'running' AND recovery <> 'externally_owned' AND lease_expires IS NULL AND pause_until IS NOT NULL;

-- The feed has of each process the latest entry of a kind, and of one that is gone its prune.
CREATE INDEX process_change_of ON process_change (process_id, kind);
CREATE INDEX process_change_prunes ON process_change (position) WHERE kind = 'PRUNED';
CREATE INDEX process_tombstone_age ON process_tombstone (pruned_at, id);
DELETE FROM process_change
WHERE position < (SELECT max(later.position) FROM process_change later
                  WHERE later.process_id = process_change.process_id
                    AND later.kind IN ('PRUNED', process_change.kind));
