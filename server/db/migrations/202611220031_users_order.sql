-- Orders of the list that no other index holds.
CREATE INDEX users_name ON users (name, id);
CREATE INDEX users_updated_at ON users (updated_at, id);
CREATE INDEX users_public_email ON users (public_email COLLATE NOCASE) WHERE public_email <> '';
