-- The commit of a merge request that a thread in its conversation is about; `commit_id` is for notes under a commit itself.
ALTER TABLE notes ADD COLUMN about_commit_id TEXT;
