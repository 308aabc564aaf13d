nP7
-- doc
CREATE TABLE a (id int PRIMARY KEY, b text DEFAULT 'x''y');
CREATE INDEX ON a (b);
CREATE FUNCTION f(a int) RETURNS int AS $$
BEGIN
  RETURN a;
END
$$ LANGUAGE plpgsql;
SELECT * FROM a JOIN c USING (id) WHERE b IN ('d', 'e');
