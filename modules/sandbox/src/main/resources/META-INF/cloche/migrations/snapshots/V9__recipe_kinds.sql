-- Further kinds of steps: the driver of an interpreter, a page that is waited for. Which kinds there are is said by the program
-- alone from now on, so that the next one needs no new table. Programs from before know less of them.
CREATE TABLE snapshot_recipe_word_new (
    snapshot_id INTEGER NOT NULL REFERENCES sandbox_snapshot (id) ON DELETE CASCADE,
    step        INTEGER NOT NULL CHECK (step >= 0),
    position    INTEGER NOT NULL CHECK (position >= 0),
    kind        TEXT    NOT NULL CHECK (kind <> ''),
    word        TEXT    NOT NULL,
    PRIMARY KEY (snapshot_id, step, position)
) STRICT, WITHOUT ROWID;

INSERT INTO snapshot_recipe_word_new (snapshot_id, step, position, kind, word)
    SELECT snapshot_id, step, position, kind, word FROM snapshot_recipe_word;

DROP TABLE snapshot_recipe_word;

ALTER TABLE snapshot_recipe_word_new RENAME TO snapshot_recipe_word;
