-- When a run ends by its limit, in milliseconds since the host's boot (CLOCK_BOOTTIME); and the start time of the guard that was
-- told so: an earlier version that resumes a sandbox changes the latter, and knows nothing of the former.
ALTER TABLE run ADD COLUMN deadline INTEGER;
ALTER TABLE run ADD COLUMN deadline_guard INTEGER;
