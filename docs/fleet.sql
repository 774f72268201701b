-- fleet.sql - asks DuckDB about a folder that pp-export --to parquet wrote: perfpipe-fleet(7) says how.

SET VARIABLE fleet = coalesce(getvariable('fleet'), 'fleet');

-- ---- tables ----

CREATE OR REPLACE VIEW samples AS
SELECT time, event, weight, count, comm, pid, tid, cpu, cgroup, stack, recording, day, host
FROM read_parquet(getvariable('fleet') || '/samples/**/*.parquet', union_by_name = true,
	hive_partitioning = true, hive_types = {'day': VARCHAR, 'host': VARCHAR});

-- What the files of one of the other tables have: those of several recordings repeat stacks and frames.
CREATE OR REPLACE MACRO stored(folder) AS TABLE
SELECT *
FROM read_parquet(getvariable('fleet') || '/' || folder || '/**/*.parquet', union_by_name = true,
	hive_partitioning = false);

CREATE OR REPLACE VIEW stacks AS
SELECT stack, any_value(frames) AS frames FROM stored('stacks') GROUP BY stack;

-- One recording may have been named where others were not.
CREATE OR REPLACE VIEW frames AS
SELECT frame, "inline", max(kind) AS kind, max(build_id) AS build_id, max(dso) AS dso,
	max("offset") AS "offset", max(func) AS func, arg_max(file, func) AS file,
	arg_max(line, func) AS line,
	coalesce(max(func), '[' || regexp_replace(max(dso), '.*/', '') || ']', '[unknown]') AS name
FROM stored('frames') GROUP BY frame, "inline";

CREATE OR REPLACE VIEW recordings AS
SELECT recording, key, value FROM stored('recordings');

-- Each function of each stack, place 1 being the outermost; and the innermost, which ran.
CREATE OR REPLACE VIEW calls AS
SELECT k.stack, row_number() OVER (PARTITION BY k.stack ORDER BY k.depth, f."inline") AS place,
	f.name, regexp_replace(f.dso, '.*/', '') AS dso
FROM (SELECT stack, unnest(frames) AS frame, generate_subscripts(frames, 1) AS depth FROM stacks) AS k
JOIN frames AS f USING (frame);

CREATE OR REPLACE VIEW innermost AS
SELECT k.stack, f.name, regexp_replace(f.dso, '.*/', '') AS dso
FROM stacks AS k
JOIN (SELECT frame, arg_max(name, "inline") AS name, max(dso) AS dso FROM frames GROUP BY frame) AS f
	ON f.frame = k.frames[-1];

-- ---- questions ----
-- The source is the name of a table or view that has the columns of samples, such as 'samples'.
-- Weights of different events are never added up.

-- Samples with the function that ran.
CREATE OR REPLACE MACRO running(source) AS TABLE
SELECT s.*, coalesce(i.name, '[unknown]') AS name, i.dso
FROM query_table(source) AS s LEFT JOIN innermost AS i USING (stack);

-- The value that a key has in each recording, such as the note 'commit'; and samples with that.
CREATE OR REPLACE MACRO notes(note_key) AS TABLE
SELECT recording, string_agg(DISTINCT value, ',' ORDER BY value) AS note
FROM recordings WHERE key = note_key GROUP BY recording;

CREATE OR REPLACE MACRO noted(source, note_key) AS TABLE
SELECT s.*, n.note
FROM query_table(source) AS s LEFT JOIN notes(note_key) AS n USING (recording);

-- Which functions ran.
CREATE OR REPLACE MACRO top_functions(source) AS TABLE
SELECT event, name, dso, weight, samples,
	round(100 * weight / sum(weight) OVER (PARTITION BY event), 2) AS percent
FROM (SELECT event, name, dso, sum(weight) AS weight, sum(count) AS samples
	FROM running(source) GROUP BY ALL)
ORDER BY event, weight DESC, name, dso;

-- Which functions ran, or had called what ran: of a function that calls itself a sample counts once.
CREATE OR REPLACE MACRO inclusive(source) AS TABLE
SELECT w.event, c.name, c.dso, sum(w.weight) AS weight, sum(w.samples) AS samples,
	round(100 * sum(w.weight) / any_value(w.total), 2) AS percent
FROM (SELECT event, stack, weight, samples, sum(weight) OVER (PARTITION BY event) AS total
	FROM (SELECT event, stack, sum(weight) AS weight, sum(count) AS samples
		FROM query_table(source) GROUP BY ALL)) AS w
JOIN (SELECT DISTINCT stack, name, dso FROM calls) AS c USING (stack)
GROUP BY w.event, c.name, c.dso
ORDER BY w.event, sum(w.weight) DESC, c.name, c.dso;

-- Which functions ran on each host: percent is that of the host.
CREATE OR REPLACE MACRO per_host(source) AS TABLE
SELECT event, host, name, dso, weight, samples,
	round(100 * weight / sum(weight) OVER (PARTITION BY event, host), 2) AS percent
FROM (SELECT event, host, name, dso, sum(weight) AS weight, sum(count) AS samples
	FROM running(source) GROUP BY ALL)
ORDER BY event, host, weight DESC, name, dso;

-- Which functions ran in each control group: percent is that of the group.
CREATE OR REPLACE MACRO per_cgroup(source) AS TABLE
SELECT event, cgroup, name, dso, weight, samples,
	round(100 * weight / sum(weight) OVER (PARTITION BY event, cgroup), 2) AS percent
FROM (SELECT event, cgroup, name, dso, sum(weight) AS weight, sum(count) AS samples
	FROM running(source) GROUP BY ALL)
ORDER BY event, cgroup, weight DESC, name, dso;

-- Which functions ran where a note has each of its values: percent is that of the value.
CREATE OR REPLACE MACRO per_note(source, note_key) AS TABLE
SELECT event, note, name, dso, weight, samples,
	round(100 * weight / sum(weight) OVER (PARTITION BY event, note), 2) AS percent
FROM (SELECT r.event, n.note, r.name, r.dso, sum(r.weight) AS weight, sum(count) AS samples
	FROM running(source) AS r LEFT JOIN notes(note_key) AS n USING (recording) GROUP BY ALL)
ORDER BY event, note, weight DESC, name, dso;

-- What differs between two sources, in percent of each and in points.
CREATE OR REPLACE MACRO difference(source_before, source_after) AS TABLE
SELECT coalesce(b.event, a.event) AS event, coalesce(b.name, a.name) AS name, coalesce(b.dso, a.dso) AS dso,
	coalesce(b.percent, 0) AS percent_before, coalesce(a.percent, 0) AS percent_after,
	round(coalesce(a.percent, 0) - coalesce(b.percent, 0), 2) AS points
FROM (SELECT * FROM top_functions(source_before)) AS b
FULL JOIN (SELECT * FROM top_functions(source_after)) AS a
	ON b.event = a.event AND b.name = a.name AND b.dso IS NOT DISTINCT FROM a.dso
ORDER BY 1, abs(round(coalesce(a.percent, 0) - coalesce(b.percent, 0), 2)) DESC, 2, 3;

-- The stacks of an event as lines that pp-flame draws.
CREATE OR REPLACE MACRO folded(source, event_name) AS TABLE
SELECT concat_ws(';', translate(coalesce(w.comm, '[unknown]'), ' ;', '_:'), t.text) || ' ' ||
	sum(w.weight) AS line
FROM (SELECT comm, stack, sum(weight) AS weight
	FROM query_table(source) WHERE event = event_name GROUP BY ALL) AS w
LEFT JOIN (SELECT stack, string_agg(replace(name, ';', ':'), ';' ORDER BY place) AS text
	FROM calls GROUP BY stack) AS t USING (stack)
GROUP BY w.comm, t.text ORDER BY line;

-- Numbers that mean two things, of which there should be none.
CREATE OR REPLACE VIEW collisions AS
SELECT 'stack' AS kind, stack AS id, count(DISTINCT frames) AS meanings
FROM stored('stacks') GROUP BY stack HAVING count(DISTINCT frames) > 1
UNION ALL
SELECT 'frame' AS kind, frame AS id, count(DISTINCT (kind, build_id, "offset")) AS meanings
FROM stored('frames') GROUP BY frame HAVING count(DISTINCT (kind, build_id, "offset")) > 1;
