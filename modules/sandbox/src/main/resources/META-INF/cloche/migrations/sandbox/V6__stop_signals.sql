-- By which signal a main command is asked to end, where it is not the image's choice; and of a run, whether something of it
-- had to be killed, because it had not ended in the time that it was given.
ALTER TABLE sandbox_command ADD COLUMN stop_signal INTEGER CHECK (stop_signal BETWEEN 1 AND 64);
ALTER TABLE run ADD COLUMN killed INTEGER NOT NULL DEFAULT 0 CHECK (killed IN (0, 1));
