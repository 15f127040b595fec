-- Administrators are few and asked for often.
CREATE INDEX users_admins ON users (id) WHERE is_admin = 1;
