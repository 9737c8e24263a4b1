-- As in sandbox_command.
ALTER TABLE snapshot_command ADD COLUMN stays INTEGER NOT NULL DEFAULT 0 CHECK (stays IN (0, 1));
