-- Size, times and inode of each file when it was last known to be what was written; counts only together with
-- checked_boot. Files of before are read once more.
ALTER TABLE manifest ADD COLUMN fsmeta_stamp TEXT NOT NULL DEFAULT '';
ALTER TABLE manifest ADD COLUMN vmdk_stamp TEXT NOT NULL DEFAULT '';
ALTER TABLE layer ADD COLUMN stamp TEXT NOT NULL DEFAULT '';
