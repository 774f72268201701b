// parquet.mjs duckdb|hyparquet FILE... - prints the rows of Parquet files as parquet.c does, read by another's
// reader: npm's @duckdb/node-api, or hyparquet.  parquet.mjs sql QUERY: those of an answer of DuckDB;
// parquet.mjs clickhouse QUERY: of ClickHouse, which is npm's chdb.
const [reader, ...files] = process.argv.slice(2);

const text = (value) => '"' + value.replace(/[\x00-\x1f\\\x7f]/g, (c) => '\\x' + c.charCodeAt(0).toString(16).padStart(2, '0'));
const show = (value) => value === null || value === undefined ? '~' :
	typeof value === 'string' ? text(value) :
	Array.isArray(value) ? '[' + value.join(',') + ']' : String(value);
const print = (rows) => process.stdout.write(rows.map((row) => row.map(show).join('\t') + '\n').join(''));

async function sql(queries = files) {
	const { DuckDBInstance } = await import('@duckdb/node-api');
	const db = await (await DuckDBInstance.create(':memory:')).connect();

	for (const query of queries) {
		const result = await db.stream(query);

		for (let chunk; (chunk = await result.fetchChunk()) && chunk.rowCount;)
			print(chunk.getRows().map((row) => row.map((value) => value && value.items ? value.items : value)));
	}
}

async function clickhouse() {
	const { Session } = await import('chdb');
	const session = new Session();

	for (const query of files.join(';\n').replace(/^--.*$/gm, '').split(/;\s*(?:\n|$)/).filter((q) => q.trim()))
		process.stdout.write(session.query(query, 'TabSeparated').replace(/\\N/g, '~'));
}

const duckdb = () => sql(files.map((file) => `select * from read_parquet('${file}')`));

async function hyparquet() {
	const { asyncBufferFromFile, parquetRead } = await import('hyparquet');
	const { compressors } = await import('hyparquet-compressors');

	for (const name of files)
		await parquetRead({ file: await asyncBufferFromFile(name), compressors, utf8: true, onComplete: print });
}

await { sql, clickhouse, duckdb, hyparquet }[reader]();
