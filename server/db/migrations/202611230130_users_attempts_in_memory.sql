-- Wrong passwords lock an account for the address that they came from, and are counted in memory.
ALTER TABLE users DROP COLUMN failed_attempts;
ALTER TABLE users DROP COLUMN locked_at;
