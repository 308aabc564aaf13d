-- Dates in metadata as points in time. Casts of PostgreSQL raise an error for other texts, and depend on settings.

CREATE FUNCTION _passage.iso_instant(value text) RETURNS bigint
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'iso_instant_wrapper';

COMMENT ON FUNCTION _passage.iso_instant(text) IS 'microseconds from 1970 to a date in ISO 8601; NULL for other texts';
