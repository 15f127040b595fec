-- Until when a session of an administrator may use their rights, where the settings ask for the password once more.
ALTER TABLE sessions ADD COLUMN admin_until TEXT;
-- Whoever signed in asked to stay signed in for longer than others.
ALTER TABLE sessions ADD COLUMN remembered INTEGER NOT NULL DEFAULT 0 CHECK (remembered IN (0, 1));
-- When the authentication token of a runner ends; null for one that does not.
ALTER TABLE runners ADD COLUMN token_expires_at TEXT;
