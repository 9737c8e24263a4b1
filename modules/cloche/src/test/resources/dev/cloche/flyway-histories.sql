-- As Flyway 13.12 left them in a catalog that commit a3d51ba0 made.
CREATE TABLE IF NOT EXISTS "flyway_catalog" (
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
INSERT INTO flyway_catalog VALUES(1,'0','<< Flyway Baseline >>','BASELINE','<< Flyway Baseline >>',NULL,'','2026-11-23 07:54:50.831',0,1);
INSERT INTO flyway_catalog VALUES(2,'1','leases','SQL','V1__leases.sql',1018065145,'','2026-11-23 07:54:50.839',0,1);
CREATE TABLE IF NOT EXISTS "flyway_image" (
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
INSERT INTO flyway_image VALUES(1,'0','<< Flyway Baseline >>','BASELINE','<< Flyway Baseline >>',NULL,'','2026-11-23 07:54:51.060',0,1);
INSERT INTO flyway_image VALUES(2,'1','images','SQL','V1__images.sql',72525174,'','2026-11-23 07:54:51.076',0,1);
INSERT INTO flyway_image VALUES(3,'2','file digests','SQL','V2__file_digests.sql',-905183145,'','2026-11-23 07:54:51.081',1,1);
INSERT INTO flyway_image VALUES(4,'3','file stamps','SQL','V3__file_stamps.sql',195004072,'','2026-11-23 07:54:51.117',1,1);
CREATE TABLE IF NOT EXISTS "flyway_sandbox" (
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
INSERT INTO flyway_sandbox VALUES(1,'0','<< Flyway Baseline >>','BASELINE','<< Flyway Baseline >>',NULL,'','2026-11-23 07:54:51.244',0,1);
INSERT INTO flyway_sandbox VALUES(2,'1','sandboxes and runs','SQL','V1__sandboxes_and_runs.sql',-753139512,'','2026-11-23 07:54:51.273',0,1);
INSERT INTO flyway_sandbox VALUES(3,'2','lifecycle','SQL','V2__lifecycle.sql',-1443731591,'','2026-11-23 07:54:51.379',5,1);
INSERT INTO flyway_sandbox VALUES(4,'3','networks','SQL','V3__networks.sql',-707526515,'','2026-11-23 07:54:51.436',0,1);
INSERT INTO flyway_sandbox VALUES(5,'4','pools','SQL','V4__pools.sql',595972227,'','2026-11-23 07:54:51.456',0,1);
INSERT INTO flyway_sandbox VALUES(6,'5','pool networks','SQL','V5__pool_networks.sql',-1634820744,'','2026-11-23 07:54:51.492',14,1);
INSERT INTO flyway_sandbox VALUES(7,'6','stop signals','SQL','V6__stop_signals.sql',1640896051,'','2026-11-23 07:54:51.540',7,1);
INSERT INTO flyway_sandbox VALUES(8,'7','whole commands','SQL','V7__whole_commands.sql',559155032,'','2026-11-23 07:54:51.568',1,1);
INSERT INTO flyway_sandbox VALUES(9,'8','pool policies','SQL','V8__pool_policies.sql',166893194,'','2026-11-23 07:54:51.599',17,1);
CREATE TABLE IF NOT EXISTS "flyway_sandbox_snapshot" (
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
INSERT INTO flyway_sandbox_snapshot VALUES(1,'0','<< Flyway Baseline >>','BASELINE','<< Flyway Baseline >>',NULL,'','2026-11-23 07:54:51.823',0,1);
INSERT INTO flyway_sandbox_snapshot VALUES(2,'1','snapshots','SQL','V1__snapshots.sql',1361500962,'','2026-11-23 07:54:51.887',25,1);
INSERT INTO flyway_sandbox_snapshot VALUES(3,'2','stop signals','SQL','V2__stop_signals.sql',750336420,'','2026-11-23 07:54:51.911',8,1);
INSERT INTO flyway_sandbox_snapshot VALUES(4,'3','whole commands','SQL','V3__whole_commands.sql',1561723652,'','2026-11-23 07:54:51.926',1,1);
CREATE TABLE IF NOT EXISTS "flyway_process" (
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
INSERT INTO flyway_process VALUES(1,'0','<< Flyway Baseline >>','BASELINE','<< Flyway Baseline >>',NULL,'','2026-11-23 07:54:52.038',0,1);
INSERT INTO flyway_process VALUES(2,'1','processes','SQL','V1__processes.sql',1186403827,'','2026-11-23 07:54:52.072',1,1);
INSERT INTO flyway_process VALUES(3,'2','events are the feed','SQL','V2__events_are_the_feed.sql',-339322272,'','2026-11-23 07:54:52.102',7,1);
INSERT INTO flyway_process VALUES(4,'3','lives pauses and bounds','SQL','V3__lives_pauses_and_bounds.sql',-399092261,'','2026-11-23 07:54:52.161',55,1);
CREATE INDEX "flyway_catalog_s_idx" ON "flyway_catalog" ("success");
CREATE INDEX "flyway_image_s_idx" ON "flyway_image" ("success");
CREATE INDEX "flyway_sandbox_s_idx" ON "flyway_sandbox" ("success");
CREATE INDEX "flyway_sandbox_snapshot_s_idx" ON "flyway_sandbox_snapshot" ("success");
CREATE INDEX "flyway_process_s_idx" ON "flyway_process" ("success");
