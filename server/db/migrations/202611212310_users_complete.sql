-- Who an account is beside its kind of sign-in: people, the bots of access tokens, and the ghost that keeps what
-- deleted users have written.
ALTER TABLE users ADD COLUMN kind TEXT NOT NULL DEFAULT 'human' CHECK (kind IN ('human', 'project_bot', 'ghost'));
-- The project or group whose access token this bot stands for.
ALTER TABLE users ADD COLUMN bot_project_id INTEGER REFERENCES projects (id) ON DELETE SET NULL;
ALTER TABLE users ADD COLUMN bot_namespace_id INTEGER REFERENCES namespaces (id) ON DELETE SET NULL;
ALTER TABLE users ADD COLUMN discord TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN timezone TEXT;
ALTER TABLE users ADD COLUMN view_diffs_file_by_file INTEGER NOT NULL DEFAULT 0 CHECK (view_diffs_file_by_file IN (0, 1));
ALTER TABLE users ADD COLUMN show_whitespace_in_diffs INTEGER NOT NULL DEFAULT 1 CHECK (show_whitespace_in_diffs IN (0, 1));
ALTER TABLE users ADD COLUMN pass_user_identities_to_ci_jwt INTEGER NOT NULL DEFAULT 0
  CHECK (pass_user_identities_to_ci_jwt IN (0, 1));
ALTER TABLE users ADD COLUMN shared_runners_minutes_limit INTEGER;
ALTER TABLE users ADD COLUMN extra_shared_runners_minutes_limit INTEGER;
ALTER TABLE users ADD COLUMN provisioned_by_group_id INTEGER REFERENCES namespaces (id) ON DELETE SET NULL;
-- An address that waits for its confirmation; SHA-256 digests of the tokens that were mailed or shown.
ALTER TABLE users ADD COLUMN unconfirmed_email TEXT COLLATE NOCASE;
ALTER TABLE users ADD COLUMN confirmation_digest TEXT;
ALTER TABLE users ADD COLUMN reset_password_digest TEXT;
ALTER TABLE users ADD COLUMN reset_password_sent_at TEXT;
-- After this moment the password must be changed before anything else.
ALTER TABLE users ADD COLUMN password_expires_at TEXT;
ALTER TABLE users ADD COLUMN accepted_terms_at TEXT;
ALTER TABLE users ADD COLUMN failed_attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN locked_at TEXT;
ALTER TABLE users ADD COLUMN last_activity_at TEXT;
CREATE INDEX users_kind ON users (kind) WHERE kind <> 'human';
CREATE INDEX users_bot_project ON users (bot_project_id) WHERE bot_project_id IS NOT NULL;
CREATE INDEX users_bot_namespace ON users (bot_namespace_id) WHERE bot_namespace_id IS NOT NULL;
CREATE INDEX users_provisioned_by ON users (provisioned_by_group_id) WHERE provisioned_by_group_id IS NOT NULL;
CREATE INDEX users_confirmation ON users (confirmation_digest) WHERE confirmation_digest IS NOT NULL;
CREATE INDEX users_reset_password ON users (reset_password_digest) WHERE reset_password_digest IS NOT NULL;
CREATE INDEX users_last_activity ON users (last_activity_on);

-- Secondary addresses; the primary one stays with the user.
CREATE TABLE user_emails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email TEXT NOT NULL COLLATE NOCASE,
  confirmed_at TEXT,
  confirmation_digest TEXT,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX user_emails_email ON user_emails (email);
CREATE INDEX user_emails_user ON user_emails (user_id, id);
CREATE INDEX user_emails_confirmation ON user_emails (confirmation_digest) WHERE confirmation_digest IS NOT NULL;

-- Accounts of the same person at other sign-in providers.
CREATE TABLE identities (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  extern_uid TEXT NOT NULL,
  saml_provider_id INTEGER,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX identities_of_user ON identities (user_id, provider);
CREATE UNIQUE INDEX identities_extern ON identities (provider, extern_uid);

CREATE TABLE user_follows (
  follower_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  followee_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (follower_id, followee_id),
  CHECK (follower_id <> followee_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_follows_followee ON user_follows (followee_id);

CREATE TABLE user_statuses (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  emoji TEXT NOT NULL DEFAULT 'speech_balloon',
  message TEXT,
  availability TEXT NOT NULL DEFAULT 'not_set' CHECK (availability IN ('not_set', 'busy')),
  clear_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX user_statuses_clear ON user_statuses (clear_at) WHERE clear_at IS NOT NULL;

-- Search in the middle of words.
CREATE VIRTUAL TABLE users_fts USING fts5 (
  username, name, content = 'users', content_rowid = 'id', tokenize = 'trigram'
);
INSERT INTO users_fts (rowid, username, name) SELECT id, username, name FROM users;
CREATE TRIGGER users_fts_added AFTER INSERT ON users BEGIN
  INSERT INTO users_fts (rowid, username, name) VALUES (new.id, new.username, new.name);
END;
CREATE TRIGGER users_fts_removed AFTER DELETE ON users BEGIN
  INSERT INTO users_fts (users_fts, rowid, username, name) VALUES ('delete', old.id, old.username, old.name);
END;
CREATE TRIGGER users_fts_changed AFTER UPDATE OF username, name ON users BEGIN
  INSERT INTO users_fts (users_fts, rowid, username, name) VALUES ('delete', old.id, old.username, old.name);
  INSERT INTO users_fts (rowid, username, name) VALUES (new.id, new.username, new.name);
END;
