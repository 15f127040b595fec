-- Settings that nobody may read back, sealed one by one: {name: sealed}.
ALTER TABLE application_settings ADD COLUMN secrets TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(secrets));
