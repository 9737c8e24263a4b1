-- Additive, for programs of version 1 may still run. What they leave out is NULL and taken as the comments say.

-- Lives: sequences go on where the last life of an id ended. A tombstone without a sequence is of an older program; every
-- id of the feed is beyond any sequence, so the next life begins behind those.
ALTER TABLE process ADD COLUMN first_sequence bigint NOT NULL DEFAULT 1;
ALTER TABLE process_tombstone ADD COLUMN last_sequence bigint;

-- What is remembered of ids that are pruned and have no tombstone any more, and where the feed begins.
CREATE TABLE process_floor (
    one                 boolean PRIMARY KEY DEFAULT true CHECK (one),
    fence               bigint NOT NULL DEFAULT 0,
    sequence            bigint NOT NULL DEFAULT 0,
    feed_horizon        xid8 NOT NULL DEFAULT '0',
    feed_id             bigint NOT NULL DEFAULT 0
);
INSERT INTO process_floor DEFAULT VALUES;

-- Pauses: no worker is offered a process before its pause is over. A process of Recovery.Retrying is stored as a
-- rerunnable one that may lose one owner more than it is retried, with its back-off.
ALTER TABLE process ADD COLUMN pause_until_ms bigint;
ALTER TABLE process ADD COLUMN returns integer NOT NULL DEFAULT 0;
ALTER TABLE process ADD COLUMN retry_first_ms bigint;
ALTER TABLE process ADD COLUMN retry_most_ms bigint;

-- What operators and workers ask for. A process without a host profile was registered by an older program.
ALTER TABLE process ADD COLUMN host_profile text COLLATE "C";
ALTER TABLE process ADD COLUMN started_ms bigint;
ALTER TABLE process ADD COLUMN returned_for text;
ALTER TABLE process ADD COLUMN lost_owner text;
-- What stands behind the provenance in a registration has no text of a caller, so this finds nothing else.
UPDATE process SET
    host_profile = (('"' || (regexp_match(registration,
        '"host_profile_id":"((?:[^"\\]|\\.)*)","owner_scope":\["(?:[^"\\]|\\.)*"(?:,"(?:[^"\\]|\\.)*")?\]\},"recovery":\{[^{}]*\},"version":1\}$'
        ))[1] || '"')::json #>> '{}'),
    started_ms = CASE WHEN attempts <= 1 THEN lease_claimed_ms END;

CREATE INDEX process_free_for ON process (input_type, host_profile, key)
    WHERE status = 'running' AND recovery <> 'externally_owned' AND lease_expires_ms IS NULL AND pause_until_ms IS NULL;
CREATE INDEX process_free ON process (input_type, key)
    WHERE status = 'running' AND recovery <> 'externally_owned' AND lease_expires_ms IS NULL AND pause_until_ms IS NULL;
CREATE INDEX process_paused ON process (input_type, pause_until_ms)
    WHERE status = 'running' AND recovery <> 'externally_owned' AND lease_expires_ms IS NULL AND pause_until_ms IS NOT NULL;

-- The feed has of each process the latest entry of a kind, and of one that is gone its prune.
CREATE INDEX process_change_of ON process_change (process_id, kind);
CREATE INDEX process_change_prunes ON process_change (horizon, id) WHERE kind = 'pruned';
CREATE INDEX process_tombstone_age ON process_tombstone (pruned_ms, id);
DELETE FROM process_change c USING process_change later
WHERE later.process_id = c.process_id AND (later.horizon, later.id) > (c.horizon, c.id)
  AND (later.kind = 'pruned' OR (c.kind <> 'event' AND later.kind = c.kind));
DROP INDEX process_change_event;
