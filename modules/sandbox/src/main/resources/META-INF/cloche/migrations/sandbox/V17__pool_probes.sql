-- What each new VM of a pool is asked before it waits, after its command. Programs from before do not ask, and fill shelves
-- of another key.
CREATE TABLE pool_probe (
    pool_id  INTEGER NOT NULL REFERENCES pool (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    port     INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535), -- on which a program has to listen
    path     TEXT,                                              -- of a GET there; NULL: none is sent
    PRIMARY KEY (pool_id, position)
) STRICT;
