-- By which an identity provider shows that it may manage the users of a top-level group, or of the instance (null).
CREATE TABLE scim_tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER UNIQUE REFERENCES namespaces (id) ON DELETE CASCADE,
  token_digest TEXT NOT NULL UNIQUE,
  created_by_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
  last_used_at TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX scim_tokens_of_instance ON scim_tokens (group_id IS NULL) WHERE group_id IS NULL;
CREATE INDEX scim_tokens_creator ON scim_tokens (created_by_id) WHERE created_by_id IS NOT NULL;

-- What an identity provider calls a user here.
CREATE TABLE scim_identities (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  extern_uid TEXT NOT NULL COLLATE NOCASE,
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX scim_identities_uid ON scim_identities (group_id, extern_uid) WHERE group_id IS NOT NULL;
CREATE UNIQUE INDEX scim_identities_user ON scim_identities (group_id, user_id) WHERE group_id IS NOT NULL;
CREATE UNIQUE INDEX scim_identities_uid_of_instance ON scim_identities (extern_uid) WHERE group_id IS NULL;
CREATE UNIQUE INDEX scim_identities_user_of_instance ON scim_identities (user_id) WHERE group_id IS NULL;
CREATE INDEX scim_identities_of_user ON scim_identities (user_id);
