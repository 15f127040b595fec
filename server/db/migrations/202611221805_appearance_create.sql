-- What the instance looks like. One row, made when first changed.
CREATE TABLE appearances (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  title TEXT NOT NULL DEFAULT '',
  short_title TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  description_html TEXT NOT NULL DEFAULT '',
  pwa_name TEXT NOT NULL DEFAULT '',
  pwa_short_name TEXT NOT NULL DEFAULT '',
  pwa_description TEXT NOT NULL DEFAULT '',
  -- File names below uploads/-/system/appearance/<kind>/1/.
  logo TEXT,
  header_logo TEXT,
  favicon TEXT,
  pwa_icon TEXT,
  new_project_guidelines TEXT NOT NULL DEFAULT '',
  new_project_guidelines_html TEXT NOT NULL DEFAULT '',
  profile_image_guidelines TEXT NOT NULL DEFAULT '',
  profile_image_guidelines_html TEXT NOT NULL DEFAULT '',
  header_message TEXT NOT NULL DEFAULT '',
  header_message_html TEXT NOT NULL DEFAULT '',
  footer_message TEXT NOT NULL DEFAULT '',
  footer_message_html TEXT NOT NULL DEFAULT '',
  message_background_color TEXT NOT NULL DEFAULT '#E75E40',
  message_font_color TEXT NOT NULL DEFAULT '#FFFFFF',
  email_header_and_footer_enabled INTEGER NOT NULL DEFAULT 0 CHECK (email_header_and_footer_enabled IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- What everybody is told for a while.
CREATE TABLE broadcast_messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message TEXT NOT NULL,
  message_html TEXT NOT NULL DEFAULT '',
  starts_at TEXT NOT NULL,
  ends_at TEXT NOT NULL,
  color TEXT,
  font TEXT,
  theme TEXT NOT NULL DEFAULT 'indigo',
  target_access_levels TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(target_access_levels)),
  target_path TEXT,
  broadcast_type TEXT NOT NULL DEFAULT 'banner' CHECK (broadcast_type IN ('banner', 'notification')),
  dismissable INTEGER NOT NULL DEFAULT 0 CHECK (dismissable IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX broadcast_messages_time ON broadcast_messages (ends_at, starts_at);
