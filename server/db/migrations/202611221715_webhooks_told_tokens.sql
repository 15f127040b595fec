-- Tokens of projects and groups whose coming end was told to webhooks.
CREATE TABLE hook_told_tokens (
  token_id INTEGER PRIMARY KEY REFERENCES personal_access_tokens (id) ON DELETE CASCADE,
  told_at TEXT NOT NULL
) STRICT;
