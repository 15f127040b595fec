-- How many issues a list should hold at most; zero means no limit.
ALTER TABLE board_lists ADD COLUMN max_issue_count INTEGER NOT NULL DEFAULT 0 CHECK (max_issue_count >= 0);
