-- Of sandboxes that have a network; the others, and all of before, have no device for one.
CREATE TABLE sandbox_network (
    sandbox_id  INTEGER NOT NULL PRIMARY KEY REFERENCES sandbox (id) ON DELETE CASCADE,
    name_server TEXT                      -- an address; without one the host's
) STRICT;

CREATE TABLE sandbox_port (
    sandbox_id   INTEGER NOT NULL REFERENCES sandbox_network (sandbox_id) ON DELETE CASCADE,
    position     INTEGER NOT NULL,
    protocol     TEXT    NOT NULL CHECK (protocol IN ('TCP', 'UDP')),
    host_address TEXT    NOT NULL,
    host_port    INTEGER NOT NULL CHECK (host_port BETWEEN 0 AND 65535), -- as asked for: 0 is any, at every start
    guest_port   INTEGER NOT NULL CHECK (guest_port BETWEEN 1 AND 65535),
    PRIMARY KEY (sandbox_id, position)
) STRICT, WITHOUT ROWID;
