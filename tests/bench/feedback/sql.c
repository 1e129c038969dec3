/* sqlite3 in memory: inserts, an index, joins, groups, updates. */
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

static void run(sqlite3 *db, const char *sql)
{
	char *error = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &error)) {
		fprintf(stderr, "%s: %s\n", sql, error);
		exit(1);
	}
}

static void round_of_work(void)
{
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db))
		exit(1);
	run(db, "CREATE TABLE a(id INTEGER PRIMARY KEY, k INT, t TEXT)");
	run(db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
		"INSERT INTO a SELECT i, i * 7919 % 1009, 'name ' || (i * 31 % 997) FROM n");
	run(db, "CREATE INDEX by_k ON a(k)");
	run(db, "SELECT k, count(*), sum(length(t)), max(t) FROM a GROUP BY k ORDER BY 2 DESC, 1");
	run(db, "SELECT count(*) FROM a x JOIN a y ON x.k = y.k WHERE x.t < y.t");
	run(db, "UPDATE a SET t = upper(t) WHERE k % 3 = 1");
	run(db, "SELECT DISTINCT t FROM a WHERE t LIKE '%9%' ORDER BY t");
	run(db, "DELETE FROM a WHERE k < 300");
	sqlite3_close(db);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < rounds; i++)
		round_of_work();
	return 0;
}
