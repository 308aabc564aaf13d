-- From 0.1.0 to 0.2.0: what CREATE OR REPLACE FUNCTION cannot do.
--
-- DROP FUNCTION belongs here for a function that is gone or takes other arguments, and
-- ALTER FUNCTION ... SET SCHEMA for one that moves.

DROP FUNCTION passage.filled(text, jsonb);
