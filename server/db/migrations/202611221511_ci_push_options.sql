-- What the user gave with `git push -o`, which a push taken up after a crash has still to be told with.
ALTER TABLE ref_journal ADD COLUMN push_options TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(push_options));
