-- As in sandbox_command.
ALTER TABLE snapshot_command ADD COLUMN default_user TEXT;
ALTER TABLE snapshot_command ADD COLUMN default_directory TEXT;

CREATE TABLE snapshot_default_variable (
    snapshot_id INTEGER NOT NULL REFERENCES snapshot_command (snapshot_id) ON DELETE CASCADE,
    name        TEXT    NOT NULL,
    value       TEXT    NOT NULL,
    PRIMARY KEY (snapshot_id, name)
) STRICT, WITHOUT ROWID;
