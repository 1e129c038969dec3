-- Joins, sorting, text functions and recursion for the sqlite3 shell.
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
	INSERT INTO t SELECT i, printf('row %d', i * 7919 % 150000), i / 3.0 FROM n;
CREATE INDEX t_b ON t(b);
SELECT count(*), sum(length(x.b)) FROM t x JOIN t y ON y.b = printf('row %d', x.a);
SELECT substr(b, 1, 6), count(*), avg(c) FROM t GROUP BY 1 ORDER BY 2 DESC LIMIT 5;
SELECT count(*) FROM t WHERE b LIKE '%99%' AND upper(b) GLOB 'ROW*7';
SELECT max(length(g)) FROM (SELECT group_concat(b, ',') g FROM t GROUP BY a % 100);
SELECT count(DISTINCT b) FROM t WHERE c > (SELECT avg(c) FROM t);
