-- Data in base64, such as an image, stays in the text of a document without an embedding.

CREATE FUNCTION _passage.is_encoded_data(content text) RETURNS boolean
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'is_encoded_data_wrapper';

COMMENT ON FUNCTION _passage.is_encoded_data(text) IS 'whether a chunk is data in base64 and little else, and so gets no embedding';
