-- The id that the database and the folder of its repositories share (server/db/identity.ts).
CREATE TABLE instance_identity (
  id TEXT NOT NULL PRIMARY KEY,
  -- One row at most.
  is_only INTEGER NOT NULL DEFAULT 1 UNIQUE CHECK (is_only = 1)
) STRICT;
