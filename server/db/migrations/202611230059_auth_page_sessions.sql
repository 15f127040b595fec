-- True for a session that a browser signed in to: its cookie counts only together with the token that the page keeps.
-- Nobody knows of the sessions until now where they were made, so everybody signs in once more.
DELETE FROM sessions;
ALTER TABLE sessions ADD COLUMN page_bound INTEGER NOT NULL DEFAULT 0 CHECK (page_bound IN (0, 1));
