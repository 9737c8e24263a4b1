-- What its guest may ask of its disk per second, in requests and in bytes; NULL for any number.
ALTER TABLE sandbox ADD COLUMN disk_iops INTEGER CHECK (disk_iops > 0);
ALTER TABLE sandbox ADD COLUMN disk_bps INTEGER CHECK (disk_bps > 0);
