-- An event is an entry of the feed by itself, under its key; this table has all other entries, which have neither a
-- sequence nor a type. A process whose last entry was an event has that event, or, pruned, an entry behind it.
DELETE FROM process_change WHERE kind = 'EVENT';
ALTER TABLE process_change DROP COLUMN sequence;
ALTER TABLE process_change DROP COLUMN event_type;
