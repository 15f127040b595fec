-- The day on which the members heard that nothing has happened for long; activity since then makes it void.
ALTER TABLE projects ADD COLUMN inactivity_warned_on TEXT;
