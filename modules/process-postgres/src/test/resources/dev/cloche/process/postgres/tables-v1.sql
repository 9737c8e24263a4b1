CREATE SCHEMA before;
SET search_path TO before;
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
CREATE INDEX process_change_event ON process_change (process_id) WHERE kind = 'event';
CREATE TABLE flyway_process (installed_rank integer NOT NULL, version character varying(50), description character varying(200) NOT NULL, type character varying(20) NOT NULL, script character varying(1000) NOT NULL, checksum integer, installed_by character varying(100) NOT NULL, installed_on timestamp without time zone NOT NULL DEFAULT now(), execution_time integer NOT NULL, success boolean NOT NULL, PRIMARY KEY (installed_rank));
CREATE TABLE process_store (one boolean NOT NULL DEFAULT true, version integer NOT NULL, PRIMARY KEY (one));
INSERT INTO flyway_process (installed_rank, version, description, type, script, checksum, installed_by, installed_on, execution_time, success) VALUES ('0', NULL, '<< Flyway Schema Creation >>', 'SCHEMA', '"before"', NULL, 'postgres', '2026-11-22 13:21:40.347993', '0', 't');
INSERT INTO flyway_process (installed_rank, version, description, type, script, checksum, installed_by, installed_on, execution_time, success) VALUES ('1', '1', 'process', 'SQL', 'V1__process.sql', '-383444922', 'postgres', '2026-11-22 13:21:40.385407', '163', 't');
INSERT INTO process_store (one, version) VALUES ('t', '1');
INSERT INTO process (key, id, hash, registration, input_type, recovery, recovery_attempts, lease_required, status, output, external_backend, external_id, external_metadata, last_sequence, fence, attempts, lease_owner, lease_token, lease_fence, lease_epoch, lease_expires_ms, lease_claimed_ms, created_ms, updated_ms) OVERRIDING SYSTEM VALUE VALUES ('1', 'running', '516063bcccdbafc4f917a5b4e1a7b90e70f966196e6501ea05b1f1e5d3ecb015', '{"event_types":[{"name":"note"},{"name":"process.cancel_requested"},{"name":"process.cancelled","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"cancelled"}},{"name":"process.completed","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"completed"}},{"name":"process.failed","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"failed"}},{"name":"said","wake":{"dedupe_key":{"type":"event_identity"},"input":{"type":"whole"}}}],"id":"running","input":{"payload":{"for":"a \"word\"","tool":"grep"},"type":"tool_call"},"lease_required":false,"provenance":{"host_profile_id":"linux \"x\" \\ ü","owner_scope":["s-1"]},"recovery":{"attempts":3,"type":"rerunnable"},"version":1}', 'tool_call', 'rerunnable', '3', 'f', 'running', NULL, 'k8s', 'pod-1', NULL, '2', '0', '0', NULL, NULL, NULL, NULL, NULL, NULL, '1795353701314', '1795353701774');
INSERT INTO process (key, id, hash, registration, input_type, recovery, recovery_attempts, lease_required, status, output, external_backend, external_id, external_metadata, last_sequence, fence, attempts, lease_owner, lease_token, lease_fence, lease_epoch, lease_expires_ms, lease_claimed_ms, created_ms, updated_ms) OVERRIDING SYSTEM VALUE VALUES ('2', 'leased', 'dfa3df9816900a9afdef5b0bf43395e7ee802263c572ecd174e78d99085b9627', '{"event_types":[{"name":"note"},{"name":"process.cancel_requested"},{"name":"process.cancelled","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"cancelled"}},{"name":"process.completed","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"completed"}},{"name":"process.failed","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"failed"}},{"name":"said","wake":{"dedupe_key":{"type":"event_identity"},"input":{"type":"whole"}}}],"id":"leased","input":{"payload":{"for":"a \"word\"","tool":"grep"},"type":"tool_call"},"lease_required":false,"provenance":{"host_profile_id":"linux-amd64","owner_scope":["s-1","frame"]},"recovery":{"attempts":3,"type":"rerunnable"},"version":1}', 'tool_call', 'rerunnable', '3', 'f', 'running', NULL, NULL, NULL, NULL, '0', '1', '1', 'ann', 'd564574950de7e5be811d94a29f2a7c3', '1', 'postgresql', '1795357302032', '1795353702032', '1795353701913', '1795353701913');
INSERT INTO process (key, id, hash, registration, input_type, recovery, recovery_attempts, lease_required, status, output, external_backend, external_id, external_metadata, last_sequence, fence, attempts, lease_owner, lease_token, lease_fence, lease_epoch, lease_expires_ms, lease_claimed_ms, created_ms, updated_ms) OVERRIDING SYSTEM VALUE VALUES ('3', 'tried', 'e1ed911ce99b02336d0789ce5a7f2966a7a789474a6221b4aedf79fa7dc58adb', '{"event_types":[{"name":"note"},{"name":"process.cancel_requested"},{"name":"process.cancelled","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"cancelled"}},{"name":"process.completed","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"completed"}},{"name":"process.failed","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"failed"}},{"name":"said","wake":{"dedupe_key":{"type":"event_identity"},"input":{"type":"whole"}}}],"id":"tried","input":{"payload":{"for":"a \"word\"","tool":"grep"},"type":"tool_call"},"lease_required":false,"provenance":{"host_profile_id":"linux-amd64","owner_scope":["s-1"]},"recovery":{"attempts":5,"type":"rerunnable"},"version":1}', 'tool_call', 'rerunnable', '5', 'f', 'running', NULL, NULL, NULL, NULL, '0', '3', '0', NULL, NULL, NULL, NULL, NULL, NULL, '1795353702195', '1795353702195');
INSERT INTO process (key, id, hash, registration, input_type, recovery, recovery_attempts, lease_required, status, output, external_backend, external_id, external_metadata, last_sequence, fence, attempts, lease_owner, lease_token, lease_fence, lease_epoch, lease_expires_ms, lease_claimed_ms, created_ms, updated_ms) OVERRIDING SYSTEM VALUE VALUES ('4', 'bound', '48a6dcf0ed68060a5d163312f91a60b1d7201a7f0c0882d2cc0f724354bba752', '{"event_types":[{"name":"note"},{"name":"process.cancel_requested"},{"name":"process.cancelled","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"cancelled"}},{"name":"process.completed","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"completed"}},{"name":"process.failed","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"failed"}},{"name":"said","wake":{"dedupe_key":{"type":"event_identity"},"input":{"type":"whole"}}}],"id":"bound","input":{"payload":{"for":"a \"word\"","tool":"grep"},"type":"session_turn"},"lease_required":false,"provenance":{"host_profile_id":"arm","owner_scope":["s-3"]},"recovery":{"type":"owner_bound"},"version":1}', 'session_turn', 'owner_bound', '0', 'f', 'running', NULL, NULL, NULL, NULL, '0', '0', '0', NULL, NULL, NULL, NULL, NULL, NULL, '1795353702615', '1795353702615');
INSERT INTO process (key, id, hash, registration, input_type, recovery, recovery_attempts, lease_required, status, output, external_backend, external_id, external_metadata, last_sequence, fence, attempts, lease_owner, lease_token, lease_fence, lease_epoch, lease_expires_ms, lease_claimed_ms, created_ms, updated_ms) OVERRIDING SYSTEM VALUE VALUES ('5', 'outside', '1c0a43b468b4ca5ad590d9a62edee68a2c9e358d451ca19d61892086dd1ed860', '{"event_types":[{"name":"note"},{"name":"process.cancel_requested"},{"name":"process.cancelled","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"cancelled"}},{"name":"process.completed","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"completed"}},{"name":"process.failed","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"failed"}},{"name":"said","wake":{"dedupe_key":{"type":"event_identity"},"input":{"type":"whole"}}}],"id":"outside","input":{"payload":{"for":"a \"word\"","tool":"grep"},"type":"external"},"lease_required":false,"provenance":{"host_profile_id":"arm","owner_scope":["s-3"]},"recovery":{"type":"externally_owned"},"version":1}', 'external', 'externally_owned', '0', 'f', 'running', NULL, NULL, NULL, NULL, '0', '0', '0', NULL, NULL, NULL, NULL, NULL, NULL, '1795353702770', '1795353702770');
INSERT INTO process (key, id, hash, registration, input_type, recovery, recovery_attempts, lease_required, status, output, external_backend, external_id, external_metadata, last_sequence, fence, attempts, lease_owner, lease_token, lease_fence, lease_epoch, lease_expires_ms, lease_claimed_ms, created_ms, updated_ms) OVERRIDING SYSTEM VALUE VALUES ('9', 'ended', 'baa43b60a90e8a9b71553529d33e1ca5a55d0a43ce3d1ded877de10af9dc12c6', '{"event_types":[{"name":"note"},{"name":"process.cancel_requested"},{"name":"process.cancelled","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"cancelled"}},{"name":"process.completed","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"completed"}},{"name":"process.failed","terminal":{"await_output":{"pointer":"/await_output","type":"pointer"},"state":"failed"}},{"name":"said","wake":{"dedupe_key":{"type":"event_identity"},"input":{"type":"whole"}}}],"id":"ended","input":{"payload":{"for":"a \"word\"","tool":"grep"},"type":"tool_call"},"lease_required":false,"provenance":{"host_profile_id":"arm","owner_scope":["s-3"]},"recovery":{"attempts":3,"type":"rerunnable"},"version":1}', 'tool_call', 'rerunnable', '3', 'f', 'completed', '{"type":"success","value":7}', NULL, NULL, NULL, '1', '2', '1', NULL, NULL, NULL, NULL, NULL, NULL, '1795353703964', '1795353704056');
INSERT INTO process_event (process_key, sequence, type, payload, payload_hash, replay_key, caused_by, at_ms) VALUES ('1', '1', 'note', '1', 'ef01144085a371d663fd2a3b9f02370d40b0d2729286ebde9e9e9cb8476711a1', 'k1', NULL, '1795353701585');
INSERT INTO process_event (process_key, sequence, type, payload, payload_hash, replay_key, caused_by, at_ms) VALUES ('1', '2', 'said', '"hello"', '57cdc3bc2f5c1493b3fccce3bba6c0f160c78b5bd4f48304afca334012ed8c6f', NULL, NULL, '1795353701680');
INSERT INTO process_event (process_key, sequence, type, payload, payload_hash, replay_key, caused_by, at_ms) VALUES ('9', '1', 'process.completed', '{"await_output":{"type":"success","value":7}}', 'd765f163e78565665c589e3eaed6a04bc4834326fc3f01aa0a5b2cbc74c6e675', 'process:ended:terminal:process.completed', NULL, '1795353704056');
INSERT INTO process_wake (process_key, sequence, process_id, wake_id, session, frame, event_type, input, dedupe_key, acknowledged) VALUES ('1', '2', 'running', '7be65eef2fd65de82c6d563889e2223a7ba2b476c99ef16dd67fb801475a9377', 's-2', 'f', 'said', '"hello"', 'running:2', 'f');
INSERT INTO process_grant (scope, process_id, process_key, session, frame, kind, label) VALUES ('["s-1","f"]', 'running', '1', 's-1', 'f', NULL, NULL);
INSERT INTO process_tombstone (id, fence, pruned_ms) VALUES ('ended', '1', '1795353703447');
INSERT INTO process_tombstone (id, fence, pruned_ms) VALUES ('gone', '4', '1795353703905');
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('758', '1', 'running', 'registered', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('759', '2', 'running', 'event', '1', 'note');
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('760', '3', 'running', 'event', '2', 'said');
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('762', '4', 'running', 'external_ref', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('765', '5', 'leased', 'registered', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('768', '6', 'tried', 'registered', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('771', '7', 'tried', 'released', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('774', '8', 'tried', 'released', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('777', '9', 'tried', 'released', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('779', '10', 'bound', 'registered', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('781', '11', 'outside', 'registered', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('783', '12', 'ended', 'registered', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('788', '14', 'gone', 'registered', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('793', '16', 'gone', 'released', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('798', '18', 'ended', 'pruned', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('798', '19', 'gone', 'pruned', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('800', '20', 'gone', 'registered', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('805', '22', 'gone', 'released', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('810', '24', 'gone', 'pruned', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('812', '25', 'ended', 'registered', '0', NULL);
INSERT INTO process_change (horizon, id, process_id, kind, sequence, event_type) OVERRIDING SYSTEM VALUE VALUES ('815', '26', 'ended', 'event', '1', 'process.completed');
SELECT setval(pg_get_serial_sequence('before.process', 'key'), (SELECT max(key) FROM process));
SELECT setval(pg_get_serial_sequence('before.process_change', 'id'), (SELECT max(id) FROM process_change));
