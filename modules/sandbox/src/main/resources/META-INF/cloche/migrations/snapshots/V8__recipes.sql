-- A snapshot that was prepared as a template has a recipe, by which it is made anew. One row for each word of each step.
ALTER TABLE sandbox_snapshot ADD COLUMN prepared INTEGER NOT NULL DEFAULT 0 CHECK (prepared IN (0, 1));

CREATE TABLE snapshot_recipe_word (
    snapshot_id INTEGER NOT NULL REFERENCES sandbox_snapshot (id) ON DELETE CASCADE,
    step        INTEGER NOT NULL CHECK (step >= 0),
    position    INTEGER NOT NULL CHECK (position >= 0),
    kind        TEXT    NOT NULL CHECK (kind IN ('COPY', 'RUN', 'CODE', 'START', 'READY_PORT', 'READY', 'ON_CLONE')),
    word        TEXT    NOT NULL,
    PRIMARY KEY (snapshot_id, step, position)
) STRICT, WITHOUT ROWID;
