-- As in sandbox_command.
ALTER TABLE snapshot_command ADD COLUMN whole INTEGER NOT NULL DEFAULT 0 CHECK (whole IN (0, 1));
