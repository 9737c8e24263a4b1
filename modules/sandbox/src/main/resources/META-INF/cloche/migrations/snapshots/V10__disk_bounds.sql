-- As in sandbox.
ALTER TABLE sandbox_snapshot ADD COLUMN disk_iops INTEGER CHECK (disk_iops > 0);
ALTER TABLE sandbox_snapshot ADD COLUMN disk_bps INTEGER CHECK (disk_bps > 0);
