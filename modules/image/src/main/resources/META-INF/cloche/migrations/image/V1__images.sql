-- Times are milliseconds since 1970; digests are "sha256:" and 64 hexadecimal digits.

CREATE TABLE manifest (
    id            INTEGER PRIMARY KEY,
    digest        TEXT    NOT NULL UNIQUE,
    media_type    TEXT    NOT NULL,
    config_digest TEXT    NOT NULL,
    os            TEXT    NOT NULL,
    architecture  TEXT    NOT NULL,
    variant       TEXT    NOT NULL,
    layer_count   INTEGER NOT NULL,
    total_size    INTEGER NOT NULL, -- of the compressed layers
    fsmeta_size   INTEGER NOT NULL,
    vmdk_size     INTEGER NOT NULL,
    created_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX manifest_config_digest ON manifest (config_digest);

-- env, cmd and entrypoint are JSON arrays, labels is a JSON object: nothing is ever selected by their content.
CREATE TABLE config (
    manifest_id INTEGER NOT NULL UNIQUE REFERENCES manifest (id) ON DELETE CASCADE,
    digest      TEXT    NOT NULL,
    env         TEXT    NOT NULL,
    cmd         TEXT    NOT NULL,
    entrypoint  TEXT    NOT NULL,
    user        TEXT    NOT NULL,
    working_dir TEXT    NOT NULL,
    labels      TEXT    NOT NULL,
    stop_signal TEXT    NOT NULL
) STRICT;

CREATE TABLE image_ref (
    reference   TEXT    NOT NULL UNIQUE,
    manifest_id INTEGER NOT NULL REFERENCES manifest (id) ON DELETE CASCADE,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX image_ref_manifest ON image_ref (manifest_id);

CREATE TABLE layer (
    id           INTEGER PRIMARY KEY,
    diff_id      TEXT    NOT NULL UNIQUE,
    erofs_size   INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL
) STRICT;

-- An image may repeat a layer, and images may compress the same layer in different ways.
CREATE TABLE manifest_layer (
    manifest_id     INTEGER NOT NULL REFERENCES manifest (id) ON DELETE CASCADE,
    layer_id        INTEGER NOT NULL REFERENCES layer (id) ON DELETE RESTRICT,
    position        INTEGER NOT NULL, -- from 0, the bottom
    blob_digest     TEXT    NOT NULL,
    media_type      TEXT    NOT NULL,
    compressed_size INTEGER NOT NULL,
    UNIQUE (manifest_id, position)
) STRICT;
CREATE INDEX manifest_layer_layer ON manifest_layer (layer_id);

-- Who uses an image, and so keeps its files from being deleted.
CREATE TABLE image_pin (
    holder_kind TEXT    NOT NULL,
    holder_id   TEXT    NOT NULL,
    holder_name TEXT    NOT NULL,
    manifest_id INTEGER NOT NULL REFERENCES manifest (id) ON DELETE RESTRICT,
    UNIQUE (holder_kind, holder_id)
) STRICT;
CREATE INDEX image_pin_manifest ON image_pin (manifest_id);
