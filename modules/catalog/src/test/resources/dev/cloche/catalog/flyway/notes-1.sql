CREATE TABLE catalog_room (room TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT;
INSERT INTO catalog_room VALUES('notes',1);
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
INSERT INTO flyway_notes VALUES(1,'0','<< Flyway Baseline >>','BASELINE','<< Flyway Baseline >>',NULL,'','2026-11-23 08:01:08.019',0,1);
INSERT INTO flyway_notes VALUES(2,'1','notes','SQL','V1__notes.sql',1519443166,'','2026-11-23 08:01:09.091',312,1);
CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO note VALUES(1,'of Flyway');
CREATE INDEX "flyway_notes_s_idx" ON "flyway_notes" ("success");
