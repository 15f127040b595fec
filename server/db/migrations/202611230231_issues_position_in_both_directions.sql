-- The order by hand, walked upwards and downwards: the id settles ties in the same direction.
DROP INDEX issues_position;
CREATE INDEX issues_position ON issues (project_id, relative_position, id);
