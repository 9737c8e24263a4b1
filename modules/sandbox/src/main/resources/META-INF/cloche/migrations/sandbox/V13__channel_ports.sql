-- Ports of sandboxes without a network: they lead through the guest channel.
CREATE TABLE sandbox_channel_port (
    sandbox_id   INTEGER NOT NULL REFERENCES sandbox (id) ON DELETE CASCADE,
    position     INTEGER NOT NULL,
    host_address TEXT    NOT NULL,
    host_port    INTEGER NOT NULL CHECK (host_port BETWEEN 0 AND 65535), -- as asked for: 0 is any, at every start
    guest_port   INTEGER NOT NULL CHECK (guest_port BETWEEN 1 AND 65535),
    PRIMARY KEY (sandbox_id, position)
) STRICT, WITHOUT ROWID;
