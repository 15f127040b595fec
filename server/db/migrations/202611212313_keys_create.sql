-- SSH keys: of users, and deploy keys, which belong to projects and to nobody.
CREATE TABLE ssh_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  key TEXT NOT NULL,
  -- MD5 as `aa:bb:…`, and `SHA256:…` as OpenSSH prints it.
  fingerprint TEXT,
  fingerprint_sha256 TEXT NOT NULL UNIQUE,
  usage_type TEXT NOT NULL DEFAULT 'auth_and_signing' CHECK (usage_type IN ('auth_and_signing', 'auth', 'signing')),
  -- A deploy key that every project may enable.
  public INTEGER NOT NULL DEFAULT 0 CHECK (public IN (0, 1)),
  is_deploy_key INTEGER NOT NULL DEFAULT 0 CHECK (is_deploy_key IN (0, 1)),
  -- For a deploy key: who added it.
  created_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  expires_at TEXT,
  last_used_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((user_id IS NULL) = (is_deploy_key = 1))
) STRICT;
CREATE INDEX ssh_keys_user ON ssh_keys (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX ssh_keys_fingerprint ON ssh_keys (fingerprint);
CREATE INDEX ssh_keys_created_by ON ssh_keys (created_by_id) WHERE created_by_id IS NOT NULL;

CREATE TABLE deploy_keys_projects (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  deploy_key_id INTEGER NOT NULL REFERENCES ssh_keys (id) ON DELETE CASCADE,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  can_push INTEGER NOT NULL DEFAULT 0 CHECK (can_push IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX deploy_keys_projects_pair ON deploy_keys_projects (project_id, deploy_key_id);
CREATE INDEX deploy_keys_projects_key ON deploy_keys_projects (deploy_key_id);

CREATE TABLE deploy_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  namespace_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  username TEXT NOT NULL,
  digest TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL CHECK (json_valid(scopes)),
  created_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  revoked INTEGER NOT NULL DEFAULT 0 CHECK (revoked IN (0, 1)),
  expires_at TEXT,
  last_used_at TEXT,
  created_at TEXT NOT NULL,
  CHECK ((project_id IS NULL) <> (namespace_id IS NULL))
) STRICT;
CREATE INDEX deploy_tokens_project ON deploy_tokens (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX deploy_tokens_namespace ON deploy_tokens (namespace_id) WHERE namespace_id IS NOT NULL;
CREATE INDEX deploy_tokens_created_by ON deploy_tokens (created_by_id) WHERE created_by_id IS NOT NULL;

CREATE TABLE gpg_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL UNIQUE,
  primary_keyid TEXT NOT NULL,
  -- The names and addresses on the key, as JSON: [{"name", "email"}].
  uids TEXT NOT NULL CHECK (json_valid(uids)),
  -- Ids of its subkeys, as a JSON array.
  subkeys TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(subkeys)),
  -- Revoked: it stays known, but verifies nothing.
  revoked INTEGER NOT NULL DEFAULT 0 CHECK (revoked IN (0, 1)),
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX gpg_keys_user ON gpg_keys (user_id, id);
CREATE INDEX gpg_keys_keyid ON gpg_keys (primary_keyid);
