-- Notes name what they are written under without a foreign key; however a snippet goes, its notes go with it.
CREATE TRIGGER notes_of_snippets_removed AFTER DELETE ON snippets BEGIN
  DELETE FROM notes WHERE noteable_type = 'Snippet' AND noteable_id = old.id;
END;
