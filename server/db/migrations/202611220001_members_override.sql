-- A level that was set by hand and that a directory must not set back.
ALTER TABLE members ADD COLUMN override INTEGER NOT NULL DEFAULT 0 CHECK (override IN (0, 1));
