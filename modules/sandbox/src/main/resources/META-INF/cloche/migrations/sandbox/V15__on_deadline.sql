-- What its owner does at its deadline, and when it is idle.
ALTER TABLE sandbox ADD COLUMN on_deadline TEXT NOT NULL DEFAULT 'STOP' CHECK (on_deadline IN ('STOP', 'SUSPEND'));
