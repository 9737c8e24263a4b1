CREATE TABLE catalog_room (room TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT;
INSERT INTO catalog_room VALUES('notes',2);
CREATE TABLE IF NOT EXISTS "flyway_notes" (
    "installed_rank" INT NOT NULL PRIMARY KEY,
    "version" VARCHAR(50),
    "description" VARCHAR(200) NOT NULL,
    "type" VARCHAR(20) NOT NULL,
    "script" VARCHAR(1000) NOT NULL,
    "checksum" INT,
    "installed_by" VARCHAR(100) NOT NULL,
    "installed_on" TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f','now')),
    "execution_time" INT NOT NULL,
    "success" BOOLEAN NOT NULL
);
INSERT INTO flyway_notes VALUES(1,'0','<< Flyway Baseline >>','BASELINE','<< Flyway Baseline >>',NULL,'','2026-11-23 08:01:10.376',0,1);
INSERT INTO flyway_notes VALUES(2,'1','notes','SQL','V1__notes.sql',1519443166,'','2026-11-23 08:01:10.513',1,1);
INSERT INTO flyway_notes VALUES(3,'2','tags','SQL','V2__tags.sql',605522850,'','2026-11-23 08:01:10.715',29,1);
CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO note VALUES(1,'of Flyway');
CREATE TABLE tag (note_id INTEGER NOT NULL REFERENCES note (id), name TEXT NOT NULL) STRICT;
CREATE INDEX "flyway_notes_s_idx" ON "flyway_notes" ("success");
CREATE INDEX tag_note ON tag (note_id);
