// Rows of a comparison, from the CSV of its page and from dendro diff --format json.
import assert from "node:assert/strict";

const COLUMNS = ["before", "after", "difference", "error", "q", "significant"];
export const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b)),
	`${what}: ${a}, ${b}`);
export const byKey = (rows) => new Map(rows.map((row) => [row.key, row]));

/** Rows of the page's CSV: a path of names, and both costs. */
export function rowsOf(csv) {
	const path = [];
	return csv.trimEnd().split("\r\n").slice(1).map((line) => {
		const [, numbers, name, module, kind, status] =
			/^([-\d.,e]+),"((?:[^"]|"")*)","((?:[^"]|"")*)",(\w+),(\w*),/.exec(line);
		const [depth, ...values] = numbers.split(",");
		path.length = Number(depth);
		path.push(`${name}|${module}|${kind}`);
		const measured = (from) => Object.fromEntries(COLUMNS.map((column, i) =>
			[column, values[from + i] === "" ? null : Number(values[from + i])]));
		return { key: path.slice(1).join(";"), status, self: measured(0),
			total: measured(COLUMNS.length) };
	}).slice(1);
}

/** Rows of dendro diff in one event. */
export function wantedOf(report, metric) {
	const paths = [];
	return report.rows.map((row, i) => {
		const name = `${row.name}|${row.module}|${row.kind}`;
		paths[i] = row.parent === undefined ? name : `${paths[row.parent]};${name}`;
		return { key: paths[i], status: row.status ?? "", ...(metric ? row.others[metric - 1]
			: { self: row.self, total: row.total }) };
	}).filter(({ total }) => total.before || total.after);
}

export function same(page, report, what) {
	assert.deepEqual([...page.keys()].sort(), [...report.keys()].sort(), what);
	for (const [key, row] of report) {
		const found = page.get(key);
		assert.equal(found.status, row.status, key);
		for (const measure of ["self", "total"]) {
			for (const column of COLUMNS.slice(0, -1)) {
				const [a, b] = [found[measure][column], row[measure][column]];
				assert.equal(a === null, b === null, `${what}, ${measure}, ${key}, ${column}: ${a}, ${b}`);
				near(a ?? 0, b ?? 0, `${what}, ${measure}, ${key}, ${column}`);
			}
			assert.equal(found[measure].significant, Number(row[measure].significant), `${what}, ${key}`);
		}
	}
}
