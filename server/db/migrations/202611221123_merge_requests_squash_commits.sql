-- A commit asks which merge request brought it.
CREATE INDEX merge_requests_squash_commit ON merge_requests (squash_commit_sha) WHERE squash_commit_sha IS NOT NULL;
