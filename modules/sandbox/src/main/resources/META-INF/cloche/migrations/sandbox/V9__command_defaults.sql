-- What holds for all commands of a sandbox that say nothing else.
ALTER TABLE sandbox_command ADD COLUMN default_user TEXT;
ALTER TABLE sandbox_command ADD COLUMN default_directory TEXT;

CREATE TABLE sandbox_default_variable (
    sandbox_id INTEGER NOT NULL REFERENCES sandbox_command (sandbox_id) ON DELETE CASCADE,
    name       TEXT    NOT NULL,
    value      TEXT    NOT NULL,
    PRIMARY KEY (sandbox_id, name)
) STRICT, WITHOUT ROWID;
