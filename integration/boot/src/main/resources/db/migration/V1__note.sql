CREATE TABLE note (text VARCHAR(100) NOT NULL);
INSERT INTO note VALUES ('from our own migration');
