-- The tokens in these columns are sealed when the instance starts (namespaces/registration-token.ts), which needs its key.
-- Nothing of them may stay readable in pages that become free.
PRAGMA secure_delete = ON;
DROP INDEX projects_runners_token;
DROP INDEX namespaces_runners_token;
ALTER TABLE projects ADD COLUMN runners_token_digest TEXT;
ALTER TABLE namespaces ADD COLUMN runners_token_digest TEXT;
CREATE UNIQUE INDEX projects_runners_token_digest ON projects (runners_token_digest) WHERE runners_token_digest IS NOT NULL;
CREATE UNIQUE INDEX namespaces_runners_token_digest ON namespaces (runners_token_digest) WHERE runners_token_digest IS NOT NULL;
