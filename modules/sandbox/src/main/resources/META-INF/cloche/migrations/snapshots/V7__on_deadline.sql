-- As in sandbox.
ALTER TABLE sandbox_snapshot ADD COLUMN on_deadline TEXT NOT NULL DEFAULT 'STOP' CHECK (on_deadline IN ('STOP', 'SUSPEND'));
