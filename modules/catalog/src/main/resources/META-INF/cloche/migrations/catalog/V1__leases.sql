-- Times are milliseconds since 1970; 0 is never.
CREATE TABLE catalog_lease (
    name              TEXT    PRIMARY KEY,
    holder            TEXT,
    lease_expires_at  INTEGER NOT NULL,
    last_completed_at INTEGER NOT NULL,
    note              TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
