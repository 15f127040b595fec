-- A label's description as HTML; null where the text shows it by itself.
ALTER TABLE labels ADD COLUMN description_html TEXT;
