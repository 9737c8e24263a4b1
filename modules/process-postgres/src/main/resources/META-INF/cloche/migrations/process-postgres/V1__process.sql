-- The process registry, version 1. Texts are compared by bytes ("C"), which in UTF-8 is the order of code points.
-- Times end in _ms: milliseconds since 1970 by this server's clock. JSON is canonical text, never searched.
--
-- Every write of a process begins by locking its row of process, so rows that belong to it need no foreign keys, which
-- would lock that row once more per insert.

CREATE TABLE process (
    key                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id                  text COLLATE "C" NOT NULL UNIQUE,
    hash                text NOT NULL,
    registration        text NOT NULL,
    input_type          text COLLATE "C" NOT NULL,
    recovery            text NOT NULL CHECK (recovery IN ('rerunnable', 'owner_bound', 'externally_owned')),
    recovery_attempts   integer NOT NULL,
    lease_required      boolean NOT NULL,
    status              text NOT NULL
        CHECK (status IN ('running', 'completed', 'failed', 'cancelled', 'abandoned')),
    output              text CHECK ((output IS NULL) = (status = 'running')),
    external_backend    text,
    external_id         text,
    external_metadata   text,
    last_sequence       bigint NOT NULL DEFAULT 0,
    fence               bigint NOT NULL,
    attempts            integer NOT NULL DEFAULT 0,
    lease_owner         text,
    lease_token         text,
    lease_fence         bigint,
    lease_epoch         text,
    lease_expires_ms    bigint,
    lease_claimed_ms    bigint,
    created_ms          bigint NOT NULL,
    updated_ms          bigint NOT NULL,
    CHECK (num_nulls(lease_owner, lease_token, lease_fence, lease_epoch, lease_expires_ms, lease_claimed_ms) IN (0, 6))
) WITH (fillfactor = 70);

CREATE INDEX process_running ON process (id) WHERE status = 'running';
-- What workers look for, with those that were never leased at the end (NULLS LAST).
CREATE INDEX process_claimable ON process (input_type, lease_expires_ms, key)
    WHERE status = 'running' AND recovery <> 'externally_owned';

CREATE TABLE process_event (
    process_key         bigint NOT NULL,
    sequence            bigint NOT NULL,
    type                text COLLATE "C" NOT NULL,
    payload             text NOT NULL,
    payload_hash        text NOT NULL,
    replay_key          text COLLATE "C",
    caused_by           text,
    at_ms               bigint NOT NULL,
    PRIMARY KEY (process_key, sequence)
);

CREATE UNIQUE INDEX process_event_replay ON process_event (process_key, replay_key) WHERE replay_key IS NOT NULL;
CREATE INDEX process_event_type ON process_event (process_key, type, sequence);

-- The outbox.
CREATE TABLE process_wake (
    process_key         bigint NOT NULL,
    sequence            bigint NOT NULL,
    process_id          text COLLATE "C" NOT NULL,
    wake_id             text NOT NULL,
    session             text COLLATE "C" NOT NULL,
    frame               text,
    event_type          text NOT NULL,
    input               text NOT NULL,
    dedupe_key          text NOT NULL,
    acknowledged        boolean NOT NULL DEFAULT false,
    PRIMARY KEY (process_key, sequence)
);

CREATE INDEX process_wake_pending ON process_wake (session, process_id, sequence) WHERE NOT acknowledged;
CREATE INDEX process_wake_of_process ON process_wake (process_key, sequence) WHERE NOT acknowledged;

CREATE TABLE process_grant (
    scope               text COLLATE "C" NOT NULL,
    process_id          text COLLATE "C" NOT NULL,
    process_key         bigint NOT NULL,
    session             text COLLATE "C" NOT NULL,
    frame               text,
    kind                text,
    label               text,
    PRIMARY KEY (scope, process_id)
);

CREATE INDEX process_grant_process ON process_grant (process_key, session, scope);
CREATE INDEX process_grant_session ON process_grant (session, process_id);

CREATE TABLE process_tombstone (
    id                  text COLLATE "C" PRIMARY KEY,
    fence               bigint NOT NULL,
    pruned_ms           bigint NOT NULL
);

-- The change feed. Readers go by (horizon, id) and stop below the oldest transaction that still runs, so nothing that
-- commits late is missed, and no two writers meet in a common counter. The horizon is not below the writer's own
-- transaction, nor below any that ended before the row was written; so the order agrees with each process's own, also
-- where a transaction locks several processes.
CREATE TABLE process_change (
    horizon             xid8 NOT NULL
        DEFAULT greatest(pg_current_xact_id(), pg_snapshot_xmax(pg_current_snapshot())),
    id                  bigint GENERATED ALWAYS AS IDENTITY,
    process_id          text COLLATE "C" NOT NULL,
    kind                text NOT NULL,
    sequence            bigint NOT NULL,
    event_type          text,
    PRIMARY KEY (horizon, id)
);

-- To forget them with their process.
CREATE INDEX process_change_event ON process_change (process_id) WHERE kind = 'event';
