-- The token that this one was made from by rotation; using an old one again revokes the whole line.
ALTER TABLE personal_access_tokens ADD COLUMN previous_id INTEGER REFERENCES personal_access_tokens (id) ON DELETE SET NULL;
CREATE INDEX personal_access_tokens_previous ON personal_access_tokens (previous_id) WHERE previous_id IS NOT NULL;

-- OAuth 2 applications: of the instance, of a user, or of a group.
CREATE TABLE oauth_applications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  -- SHA-256 of the secret; the secret itself is shown once.
  secret_digest TEXT NOT NULL,
  name TEXT NOT NULL,
  -- One address a line.
  redirect_uri TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (json_valid(scopes)),
  confidential INTEGER NOT NULL DEFAULT 1 CHECK (confidential IN (0, 1)),
  trusted INTEGER NOT NULL DEFAULT 0 CHECK (trusted IN (0, 1)),
  owner_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  owner_namespace_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK (owner_id IS NULL OR owner_namespace_id IS NULL)
) STRICT;
CREATE INDEX oauth_applications_owner ON oauth_applications (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX oauth_applications_group ON oauth_applications (owner_namespace_id) WHERE owner_namespace_id IS NOT NULL;

-- Authorization codes: digests, for ten minutes and one use.
CREATE TABLE oauth_grants (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  application_id INTEGER NOT NULL REFERENCES oauth_applications (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  digest TEXT NOT NULL UNIQUE,
  redirect_uri TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (json_valid(scopes)),
  code_challenge TEXT,
  code_challenge_method TEXT CHECK (code_challenge_method IN ('plain', 'S256')),
  nonce TEXT,
  expires_at TEXT NOT NULL,
  -- A used code stays until it expires: shown again, it revokes the token it gave.
  used_at TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX oauth_grants_application ON oauth_grants (application_id, user_id);
CREATE INDEX oauth_grants_user ON oauth_grants (user_id);
CREATE INDEX oauth_grants_expiry ON oauth_grants (expires_at);

CREATE TABLE oauth_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Null for the password grant without a client.
  application_id INTEGER REFERENCES oauth_applications (id) ON DELETE CASCADE,
  -- Null for client credentials, which stand for nobody.
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  grant_id INTEGER REFERENCES oauth_grants (id) ON DELETE SET NULL,
  digest TEXT NOT NULL UNIQUE,
  refresh_digest TEXT UNIQUE,
  scopes TEXT NOT NULL CHECK (json_valid(scopes)),
  -- The token that this one was refreshed from; it ends when this one is used for the first time.
  previous_id INTEGER REFERENCES oauth_tokens (id) ON DELETE SET NULL,
  expires_at TEXT NOT NULL,
  revoked_at TEXT,
  last_used_at TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX oauth_tokens_application ON oauth_tokens (application_id, user_id);
CREATE INDEX oauth_tokens_user ON oauth_tokens (user_id);
CREATE INDEX oauth_tokens_grant ON oauth_tokens (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oauth_tokens_previous ON oauth_tokens (previous_id) WHERE previous_id IS NOT NULL;

-- Keys that sign id tokens (JWK, private part included); the newest signs, the others still verify.
CREATE TABLE signing_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kid TEXT NOT NULL UNIQUE,
  jwk TEXT NOT NULL CHECK (json_valid(jwk)),
  created_at TEXT NOT NULL
) STRICT;
