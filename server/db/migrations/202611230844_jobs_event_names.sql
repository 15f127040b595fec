-- Jobs that carry an event to a subscriber are named after the event.
UPDATE jobs SET name = 'event:' || substr(name, 6) WHERE name LIKE 'fact:%';
