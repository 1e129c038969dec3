#include "collector/fleet/fleet_queries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/sentence.h"

/* A text in quotes. Heap; NULL: no memory. */
static char *quoted(const char *text)
{
	char *quoted = NULL;
	size_t size;
	FILE *out = open_memstream(&quoted, &size);

	if (!out)
		return NULL;
	putc('\'', out);
	for (; *text; text++)
		fprintf(out, "%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
	putc('\'', out);
	if (fclose(out)) {
		free(quoted);
		return NULL;
	}
	return quoted;
}

/* Of rows of samples_day. @event: NULL for all. Likewise. */
static char *condition_of(const struct fleet_question *question, const char *event)
{
	const struct db_selection *selection = &question->selection;
	_cleanup_free_ char *metric = event ? quoted(event) : NULL;

	if (event && !metric)
		return NULL;
	return sentence("(\n%s\n) AND day >= toDate(toDateTime(%" PRIu64 ", 'UTC')) AND day <= "
			"toDate(toDateTime(%" PRIu64 ", 'UTC'))%s%s",
			selection->where ? selection->where : "1",
			selection->span.start_ns / NSEC_PER_SEC,
			(selection->span.end_ns - 1) / NSEC_PER_SEC, metric ? " AND metric = " : "",
			metric ? metric : "");
}

/*
 * Of each stack that matters, its functions, each once, as (name, file), and the innermost one. A
 * function is the same in all builds whose file has one name. Code without a name has that which
 * came later, with its whole file (dendro push --symbols).
 */
static char *functions_of_stacks(const char *condition)
{
	return sentence(
		"SELECT stack, groupUniqArrayArray(arrayMap(f -> (f, base), functions)) AS "
		"of_stack, argMax((functions[-1], base), i) AS innermost FROM (SELECT stack, i, "
		"base, multiIf(named > 0 AND notEmpty(known), known, late != '' AND o < late_end, "
		"[late], notEmpty(known), known, [concat(base, '+0x', lower(hex(o)))]) AS "
		"functions "
		"FROM (SELECT stack, m, o, i FROM (SELECT stack, modules, offsets, bits FROM "
		"stacks WHERE stack IN (SELECT stack FROM samples_day WHERE %s) LIMIT 1 BY stack) "
		"ARRAY JOIN modules AS m, offsets AS o, bits AS b, arrayEnumerate(modules) AS i "
		"WHERE b %% 16 IN (1, 2)) AS of_stacks LEFT JOIN (SELECT module AS m, offset AS o, "
		"argMax(functions, version) AS known, max(version) AS named FROM names GROUP BY m, "
		"o) AS of_code "
		"USING (m, o) ASOF LEFT JOIN (SELECT module AS m, start AS o, argMax(end, seen) "
		"AS late_end, argMax(function, seen) AS late FROM functions GROUP BY m, o) AS "
		"of_late USING (m, o) LEFT JOIN (SELECT module AS m, arrayElement(splitByChar('/', "
		"argMax(path, seen)), -1) AS base FROM modules GROUP BY m) AS of_modules USING "
		"(m)) "
		"GROUP BY stack",
		condition);
}

char *fleet_query_of_all(const struct fleet_question *question)
{
	_cleanup_free_ char *condition = condition_of(question, question->event);

	if (!condition)
		return NULL;
	return sentence("SELECT metric, any(unit), sum(cost), uniqExact(host), "
			"uniqExactArray(services), count() FROM (SELECT metric, host, day, "
			"groupUniqArray(service) AS services, sum(toFloat64(weight)) AS cost, "
			"sum(samples) AS n FROM samples_day WHERE %s GROUP BY metric, host, day) "
			"AS costs LEFT JOIN (SELECT name AS metric, any(unit) AS unit FROM windows "
			"ARRAY JOIN event_names AS name, event_units AS unit GROUP BY name) AS "
			"units USING (metric) GROUP BY metric ORDER BY sum(n) DESC, metric LIMIT 1 "
			"FORMAT RowBinary",
			condition);
}

static char *query_of_functions(const struct fleet_question *question, const char *condition)
{
	_cleanup_free_ char *stacks = functions_of_stacks(condition);

	if (!stacks)
		return NULL;
	return sentence("SELECT toString(service), f.1, f.2, sum(if(f = innermost, cost, 0)) AS "
			"own, sum(cost) AS whole, toUInt64(0), toUInt64(0) FROM (SELECT service, "
			"stack, sum(toFloat64(weight)) AS cost FROM samples_day WHERE %s GROUP BY "
			"service, stack) AS costs INNER JOIN (%s) AS of_stacks USING (stack) ARRAY "
			"JOIN of_stack AS f GROUP BY service, f ORDER BY %s DESC, service, f LIMIT "
			"%u FORMAT RowBinary",
			condition, stacks, question->by_self ? "own" : "whole", question->n_rows);
}

char *fleet_query_of_rows(const struct fleet_question *question, const char *event)
{
	static const char *const columns[] = {
		[FLEET_SERVICES] = "toString(service) AS a, '' AS b, '' AS c",
		[FLEET_BUILDS] = "toString(service) AS a, toString(process) AS b, toString(build) "
				 "AS c",
		[FLEET_KERNELS] = "toString(kernel) AS a, '' AS b, '' AS c",
	};
	_cleanup_free_ char *condition = condition_of(question, event);

	if (!condition)
		return NULL;
	if (question->view == FLEET_FUNCTIONS)
		return query_of_functions(question, condition);
	return sentence("SELECT %s, toFloat64(0), sum(toFloat64(weight)) AS whole, "
			"uniqExact(host), uniqExact((host, day)) FROM samples_day WHERE %s GROUP "
			"BY a, b, c ORDER BY whole DESC, a, b, c LIMIT %u FORMAT RowBinary",
			columns[question->view], condition, question->n_rows);
}

/* Numbers of a service's process, of a day of a host with a build, and of a function. */
#define SERVICE_KEY  "cityHash64(toString(service), toString(process))"
#define DAY_KEY      "cityHash64(toString(host), day, toString(build))"
#define FUNCTION_KEY "cityHash64(f.1, f.2)"

static char *condition_of_changed(const struct fleet_question *question, const char *event)
{
	_cleanup_free_ char *condition = condition_of(question, event);

	if (!condition)
		return NULL;
	return sentence("%s AND build != '' AND (service, process) IN (SELECT service, process "
			"FROM samples_day WHERE %s AND build != '' GROUP BY service, process "
			"HAVING uniqExact(build) > 1)",
			condition, condition);
}

char *fleet_query_of_days(const struct fleet_question *question, const char *event)
{
	_cleanup_free_ char *condition = condition_of_changed(question, event);
	_cleanup_free_ char *metric = quoted(event);
	_cleanup_free_ char *per = quoted(question->per ? question->per : "");
	_cleanup_free_ char *also =
		per && question->per ? condition_of(question, question->per) : strdup("0");

	if (!condition || !metric || !per || !also)
		return NULL;
	return sentence("SELECT " SERVICE_KEY " AS g, " DAY_KEY " AS u, toString(service), "
			"toString(process), toString(host), toUInt32(day), toString(build), "
			"sumIf(samples, metric = %s) AS n, sumIf(weight, metric = %s), "
			"sumIf(squares, metric = %s), sumIf(samples, metric = %s), "
			"sumIf(weight, metric = %s), sumIf(squares, metric = %s) FROM samples_day "
			"WHERE (%s) OR (%s) GROUP BY service, process, host, day, build "
			"HAVING n > 0 ORDER BY g, u FORMAT RowBinary",
			metric, metric, metric, per, per, per, condition, also);
}

char *fleet_query_of_day_costs(const struct fleet_question *question, const char *event)
{
	_cleanup_free_ char *condition = condition_of_changed(question, event);
	_cleanup_free_ char *stacks = condition ? functions_of_stacks(condition) : NULL;

	if (!stacks)
		return NULL;
	return sentence("SELECT g, key, u, sum(n), sum(cost) FROM (SELECT " SERVICE_KEY
			" AS g, " DAY_KEY " AS u, stack, sum(samples) AS n, sum(weight) AS cost "
			"FROM samples_day WHERE %s GROUP BY g, u, stack) AS costs INNER JOIN "
			"(SELECT stack, arrayMap(f -> " FUNCTION_KEY ", of_stack) AS keys FROM "
			"(%s)) AS of_stacks USING (stack) ARRAY JOIN keys AS key GROUP BY g, key, "
			"u ORDER BY g, key, u FORMAT RowBinary",
			condition, stacks);
}

char *fleet_query_of_names(const struct fleet_question *question, const char *event,
			   const char *keys)
{
	_cleanup_free_ char *condition = condition_of_changed(question, event);
	_cleanup_free_ char *stacks = condition ? functions_of_stacks(condition) : NULL;

	if (!stacks)
		return NULL;
	return sentence("SELECT " FUNCTION_KEY " AS key, any(f.1), any(f.2) FROM (%s) ARRAY JOIN "
			"of_stack AS f WHERE key IN (%s) GROUP BY key FORMAT RowBinary",
			stacks, keys);
}
