-- fleet-clickhouse.sql - asks ClickHouse about the folder fleet, which pp-export --to parquet wrote, as
-- fleet.sql asks DuckDB: perfpipe-fleet(7) says how.

-- ---- tables ----

CREATE OR REPLACE VIEW samples AS
SELECT time, event, weight, count, comm, pid, tid, cpu, cgroup, stack, recording,
	extract(_path, '/day=([^/]*)/') AS day, decodeURLComponent(extract(_path, '/host=([^/]*)/')) AS host
FROM file('fleet/samples/**/*.parquet', Parquet) SETTINGS use_hive_partitioning = 0;

CREATE OR REPLACE VIEW stacks AS
SELECT stack, any(frames) AS frames
FROM file('fleet/stacks/**/*.parquet', Parquet) GROUP BY stack SETTINGS use_hive_partitioning = 0;

-- One recording may have been named where others were not.
CREATE OR REPLACE VIEW frames AS
SELECT frame, inline, max(f.kind) AS kind, max(f.build_id) AS build_id, max(f.dso) AS dso,
	max(f.offset) AS offset, max(f.func) AS func, argMax(f.file, f.func) AS file, argMax(f.line, f.func) AS line,
	coalesce(func, '[' || replaceRegexpOne(dso, '.*/', '') || ']', '[unknown]') AS name
FROM file('fleet/frames/**/*.parquet', Parquet) AS f GROUP BY frame, inline
SETTINGS use_hive_partitioning = 0;

CREATE OR REPLACE VIEW recordings AS
SELECT recording, key, value
FROM file('fleet/recordings/**/*.parquet', Parquet) SETTINGS use_hive_partitioning = 0;

-- Each function of each stack, place 1 being the outermost; and the innermost, which ran.
CREATE OR REPLACE VIEW calls AS
SELECT k.stack AS stack, row_number() OVER (PARTITION BY k.stack ORDER BY k.depth, f.inline) AS place,
	f.name AS name, replaceRegexpOne(f.dso, '.*/', '') AS dso
FROM (SELECT stack, frame, depth FROM stacks ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS depth) AS k
JOIN frames AS f ON f.frame = k.frame;

CREATE OR REPLACE VIEW innermost AS
SELECT k.stack AS stack, f.name AS name, replaceRegexpOne(f.dso, '.*/', '') AS dso
FROM (SELECT stack, frames[-1] AS frame FROM stacks) AS k
JOIN (SELECT frame, argMax(g.name, g.inline) AS name, max(g.dso) AS dso FROM frames AS g GROUP BY frame) AS f
	ON f.frame = k.frame;

-- ---- questions ----
-- They are asked of the view chosen, and of chosen_before and chosen_after: make these anew to ask of a part.
-- Weights of different events are never added up.

CREATE OR REPLACE VIEW chosen AS SELECT * FROM samples;
CREATE OR REPLACE VIEW chosen_before AS SELECT * FROM samples;
CREATE OR REPLACE VIEW chosen_after AS SELECT * FROM samples;

-- Samples with the function that ran.
CREATE OR REPLACE VIEW running AS
SELECT s.*, coalesce(nullIf(i.name, ''), '[unknown]') AS name, i.dso AS dso
FROM chosen AS s LEFT JOIN innermost AS i ON i.stack = s.stack;

-- The value that a key has in each recording, such as the note 'commit'.
CREATE OR REPLACE VIEW notes AS
SELECT recording, arrayStringConcat(arraySort(groupUniqArray(value)), ',') AS note
FROM recordings WHERE key = {note_key:String} GROUP BY recording;

-- Samples with that, of all of the fleet.
CREATE OR REPLACE VIEW noted AS
SELECT s.*, n.note AS note
FROM samples AS s LEFT JOIN notes(note_key = {note_key:String}) AS n ON n.recording = s.recording;

-- Which functions ran.
CREATE OR REPLACE VIEW top_functions AS
SELECT event, name, dso, weight, samples,
	round(100 * weight / sum(weight) OVER (PARTITION BY event), 2) AS percent
FROM (SELECT event, name, dso, sum(r.weight) AS weight, sum(r.count) AS samples
	FROM running AS r GROUP BY event, name, dso)
ORDER BY event, weight DESC, name, dso;

-- Which functions ran, or had called what ran: of a function that calls itself a sample counts once.
CREATE OR REPLACE VIEW inclusive AS
SELECT event, name, dso, sum(w.weight) AS weight, sum(w.samples) AS samples,
	round(100 * weight / any(w.total), 2) AS percent
FROM (SELECT event, stack, weight, samples, sum(weight) OVER (PARTITION BY event) AS total
	FROM (SELECT event, stack, sum(s.weight) AS weight, sum(s.count) AS samples
		FROM chosen AS s GROUP BY event, stack)) AS w
JOIN (SELECT DISTINCT stack, name, dso FROM calls) AS c ON c.stack = w.stack
GROUP BY event, name, dso
ORDER BY event, weight DESC, name, dso;

-- Which functions ran on each host: percent is that of the host.
CREATE OR REPLACE VIEW per_host AS
SELECT event, host, name, dso, weight, samples,
	round(100 * weight / sum(weight) OVER (PARTITION BY event, host), 2) AS percent
FROM (SELECT event, host, name, dso, sum(r.weight) AS weight, sum(r.count) AS samples
	FROM running AS r GROUP BY event, host, name, dso)
ORDER BY event, host, weight DESC, name, dso;

-- Which functions ran in each control group: percent is that of the group.
CREATE OR REPLACE VIEW per_cgroup AS
SELECT event, cgroup, name, dso, weight, samples,
	round(100 * weight / sum(weight) OVER (PARTITION BY event, cgroup), 2) AS percent
FROM (SELECT event, cgroup, name, dso, sum(r.weight) AS weight, sum(r.count) AS samples
	FROM running AS r GROUP BY event, cgroup, name, dso)
ORDER BY event, cgroup, weight DESC, name, dso;

-- Which functions ran where a note has each of its values: percent is that of the value.
CREATE OR REPLACE VIEW per_note AS
SELECT event, note, name, dso, weight, samples,
	round(100 * weight / sum(weight) OVER (PARTITION BY event, note), 2) AS percent
FROM (SELECT event, note, name, dso, sum(r.weight) AS weight, sum(r.count) AS samples
	FROM running AS r LEFT JOIN notes(note_key = {note_key:String}) AS n ON n.recording = r.recording
	GROUP BY event, note, name, dso)
ORDER BY event, note, weight DESC, name, dso;

-- What differs between chosen_before and chosen_after, in percent of each and in points.
CREATE OR REPLACE VIEW difference AS
SELECT event, name, dso,
	round(100 * before / greatest(1, sum(before) OVER (PARTITION BY event)), 2) AS percent_before,
	round(100 * after / greatest(1, sum(after) OVER (PARTITION BY event)), 2) AS percent_after,
	round(percent_after - percent_before, 2) AS points
FROM (SELECT w.event AS event, coalesce(nullIf(i.name, ''), '[unknown]') AS name, i.dso AS dso,
		sum(w.before) AS before, sum(w.after) AS after
	FROM (SELECT event, stack, weight AS before, 0 AS after FROM chosen_before
		UNION ALL SELECT event, stack, 0 AS before, weight AS after FROM chosen_after) AS w
	LEFT JOIN innermost AS i ON i.stack = w.stack GROUP BY event, name, dso)
ORDER BY event, abs(points) DESC, name, dso;

-- The stacks of an event as lines that pp-flame draws.
CREATE OR REPLACE VIEW folded AS
SELECT concat(translate(ifNull(w.comm, '[unknown]'), ' ;', '_:'), if(t.text = '', '', ';'), t.text, ' ',
	toString(sum(w.weight))) AS line
FROM (SELECT comm, stack, sum(s.weight) AS weight
	FROM chosen AS s WHERE event = {event_name:String} GROUP BY comm, stack) AS w
LEFT JOIN (SELECT stack,
		arrayStringConcat(arrayMap(p -> p.2,
			arraySort(groupArray((place, replaceAll(name, ';', ':'))))), ';') AS text
	FROM calls GROUP BY stack) AS t ON t.stack = w.stack
GROUP BY w.comm, t.text ORDER BY line;

-- Numbers that mean two things, of which there should be none.
CREATE OR REPLACE VIEW collisions AS
SELECT 'stack' AS kind, stack AS id, uniqExact(frames) AS meanings
FROM file('fleet/stacks/**/*.parquet', Parquet) GROUP BY stack HAVING meanings > 1
UNION ALL
SELECT 'frame' AS kind, frame AS id, uniqExact((f.kind, f.build_id, f.offset)) AS meanings
FROM file('fleet/frames/**/*.parquet', Parquet) AS f GROUP BY frame HAVING meanings > 1
SETTINGS use_hive_partitioning = 0;
