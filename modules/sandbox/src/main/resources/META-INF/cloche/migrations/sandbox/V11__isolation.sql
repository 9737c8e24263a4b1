-- The least of walls that a sandbox accepts, at each start; NULL: what the host's settings say.
ALTER TABLE sandbox ADD COLUMN isolation TEXT CHECK (isolation IN ('REDUCED', 'AUTO', 'SEALED', 'FULL'));
