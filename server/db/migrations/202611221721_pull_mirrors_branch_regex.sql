-- Which branches a project follows: those whose names match (RE2); null for all.
ALTER TABLE pull_mirrors ADD COLUMN mirror_branch_regex TEXT;
