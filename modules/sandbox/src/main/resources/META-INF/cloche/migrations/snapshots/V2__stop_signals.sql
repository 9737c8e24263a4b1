-- As in sandbox_command.
ALTER TABLE snapshot_command ADD COLUMN stop_signal INTEGER CHECK (stop_signal BETWEEN 1 AND 64);
