-- The description rendered, when it was written; null for plain words, whose form follows at once.
ALTER TABLE projects ADD COLUMN description_html TEXT;
