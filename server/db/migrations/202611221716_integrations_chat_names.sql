-- Who somebody in a chat is here. It holds for one integration, so that whoever knows its token can act for nobody elsewhere.
CREATE TABLE chat_names (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  team_id TEXT NOT NULL,
  team_domain TEXT NOT NULL DEFAULT '',
  chat_id TEXT NOT NULL,
  chat_name TEXT NOT NULL DEFAULT '',
  created_at TEXT NOT NULL,
  last_used_at TEXT
) STRICT;
CREATE UNIQUE INDEX chat_names_person ON chat_names (integration_id, team_id, chat_id);
CREATE INDEX chat_names_user ON chat_names (user_id, id);
