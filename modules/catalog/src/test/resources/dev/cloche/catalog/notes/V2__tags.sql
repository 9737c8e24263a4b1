CREATE TABLE tag (note_id INTEGER NOT NULL REFERENCES note (id), name TEXT NOT NULL) STRICT;
CREATE INDEX tag_note ON tag (note_id);
