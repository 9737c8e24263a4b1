-- Whether the words are the whole command, and nothing is taken of the image's entrypoint and command.
ALTER TABLE sandbox_command ADD COLUMN whole INTEGER NOT NULL DEFAULT 0 CHECK (whole IN (0, 1));
