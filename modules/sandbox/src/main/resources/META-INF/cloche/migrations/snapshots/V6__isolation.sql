-- As in sandbox.
ALTER TABLE sandbox_snapshot ADD COLUMN isolation TEXT CHECK (isolation IN ('REDUCED', 'AUTO', 'SEALED', 'FULL'));
