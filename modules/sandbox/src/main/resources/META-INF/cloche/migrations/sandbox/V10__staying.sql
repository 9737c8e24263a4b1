-- Whether a detached sandbox runs no main command, and goes on until it is stopped.
ALTER TABLE sandbox_command ADD COLUMN stays INTEGER NOT NULL DEFAULT 0 CHECK (stays IN (0, 1));
