-- strategies: the presets and the strategies of a store.
SET client_min_messages = warning;
SET passage.store = 'planned';
SELECT count(*) > 0 AS made FROM passage.create_store();
\pset null -

-- every store has the presets
SELECT * FROM _passage.preset_strategies();

-- strategies of the store follow, with the limits of their base
INSERT INTO planned.strategies (name, base, children, default_for, description) VALUES
    ('wide', 'reassembly', 9, '{text/html}', 'for long pages'), ('bare', DEFAULT, DEFAULT, DEFAULT, DEFAULT);
SELECT name, base, default_for, parents, preceding, following, children, siblings, within, max_chunks, description
FROM passage.strategies() OFFSET 9;

-- other stores do not have them, nor has a store without the table
SELECT count(*) > 0 AS made FROM passage.create_store('planned_too');
SELECT count(*) FROM passage.strategies('planned_too');
DROP TABLE planned_too.strategies;
SELECT count(*) FROM passage.strategies('planned_too');

-- invalid rows are rejected
INSERT INTO planned.strategies (name) VALUES ('broad');
INSERT INTO planned.strategies (name, base) VALUES ('x', 'wide');
INSERT INTO planned.strategies (name, parents) VALUES ('x', -1);
INSERT INTO planned.strategies (name, max_tokens) VALUES ('x', 1000001);
INSERT INTO planned.strategies (name, siblings) VALUES ('x', 'both');
INSERT INTO planned.strategies (name, within) VALUES ('x', 'page');

-- errors
\set SHOW_CONTEXT never
SELECT count(*) FROM passage.strategies('nowhere');

DROP SCHEMA planned, planned_too CASCADE;
