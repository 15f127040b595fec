-- What a suite has, in short: the contract's counts without the cases, so that a summary need not read them.
ALTER TABLE ci_test_suites ADD COLUMN summary TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(summary));
