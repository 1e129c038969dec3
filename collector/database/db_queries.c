#include "collector/database/db_queries.h"

#include <inttypes.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/sentence.h"

/* A table may still have rows that are replaced: LIMIT 1 BY takes the last of them. */
#define STACKS_OF "stack IN (SELECT stack FROM samples WHERE %s)"

/* Code of the stacks, as m and o. */
#define CODE_OF                                                       \
	"(SELECT DISTINCT m, o FROM stacks ARRAY JOIN modules AS m, " \
	"offsets AS o WHERE " STACKS_OF ")"

/* On lines of its own, so that a comment in it ends. */
char *db_condition(const struct db_selection *selection)
{
	const struct time_span *span = &selection->span;

	return sentence("(\n%s\n) AND time >= toDateTime(%" PRIu64 ", 'UTC') AND time < "
			"toDateTime(%" PRIu64 ", 'UTC')",
			selection->where ? selection->where : "1",
			(span->start_ns + NSEC_PER_SEC - 1) / NSEC_PER_SEC,
			(span->end_ns + NSEC_PER_SEC - 1) / NSEC_PER_SEC);
}

static char *windows_of(const struct db_selection *selection, const char *condition)
{
	return sentence("windows FINAL WHERE (host, series) IN (SELECT host, series FROM samples "
			"WHERE %s) AND start_ns < %" PRIu64 " AND end_ns > %" PRIu64,
			condition, selection->span.end_ns, selection->span.start_ns);
}

static char *query_of_windows(enum db_table table, const struct db_selection *selection,
			      const char *condition)
{
	_cleanup_free_ char *from = windows_of(selection, condition);
	const char *host = selection->by_host ? "host" : "''";

	if (!from)
		return NULL;
	if (table == DB_RUNS)
		return sentence("SELECT %s AS of_host, min(start_ns), max(end_ns), "
				"toUInt64(max(cpus)), "
				"if(min(host) = max(host), toString(any(host)), ''), "
				"if(min(kernel) = max(kernel), toString(any(kernel)), ''), "
				"if(min(arch) = max(arch), toString(any(arch)), ''), "
				"if(min(cpu) = max(cpu), toString(any(cpu)), '') "
				"FROM %s GROUP BY of_host FORMAT RowBinary",
				host, from);
	if (table == DB_QUALITY)
		return sentence("SELECT name, sum(n) FROM (SELECT quality_names, quality_counts "
				"FROM %s) ARRAY JOIN quality_names AS name, quality_counts AS n "
				"GROUP BY name FORMAT RowBinary",
				from);
	return sentence("SELECT of_host, name, unit, sum(n), sum(lost), sum(counted), "
			"sum(enabled), sum(running), groupBitAnd(flags), groupBitOr(flags) "
			"FROM (SELECT %s AS of_host, event_names, event_units, event_samples, "
			"event_lost, event_counted, event_enabled_ns, event_running_ns, "
			"event_flags FROM %s) ARRAY JOIN event_names AS name, event_units AS unit, "
			"event_samples AS n, event_lost AS lost, event_counted AS counted, "
			"event_enabled_ns AS enabled, event_running_ns AS running, "
			"event_flags AS flags, arrayEnumerate(event_names) AS i GROUP BY of_host, "
			"name, unit ORDER BY min(i), name, of_host, unit FORMAT RowBinary",
			host, from);
}

char *db_query_of(enum db_table table, const struct db_selection *selection)
{
	_cleanup_free_ char *condition = db_condition(selection);

	if (!condition)
		return NULL;
	switch (table) {
	case DB_COSTS:
		return sentence("SELECT %s AS of_host, process, metric, stack, sum(samples), "
				"sum(weight), sum(squares) FROM samples WHERE %s "
				"GROUP BY of_host, process, metric, stack FORMAT RowBinary",
				selection->by_host ? "host" : "''", condition);
	case DB_STACKS:
		return sentence("SELECT stack, modules, offsets, bits FROM stacks WHERE " STACKS_OF
				" LIMIT 1 BY stack FORMAT RowBinary",
				condition);
	case DB_MODULES:
		return sentence("SELECT module, kind, path, build_id FROM modules WHERE module IN "
				"(SELECT arrayJoin(modules) FROM stacks WHERE " STACKS_OF
				") ORDER BY module, seen DESC LIMIT 1 BY module FORMAT RowBinary",
				condition);
	case DB_LATE_NAMES:
		return sentence("SELECT code.m, code.o, symbol, start, code.o, toUInt8(0), "
				"toUInt8(0), [], [], "
				"[], [], [], [] FROM " CODE_OF
				" AS code ASOF JOIN (SELECT module AS "
				"m, start, end, symbol FROM functions) AS late ON code.m = late.m "
				"AND code.o >= late.start WHERE code.o < end AND symbol != '' AND "
				"(code.m, code.o) NOT IN (SELECT module, offset FROM names WHERE "
				"version > 0) "
				"FORMAT RowBinary",
				condition);
	case DB_NAMES:
		return sentence("SELECT module, offset, symbol, start, address, start_kind, flags, "
				"names, files, directories, lines, decl_files, decl_lines "
				"FROM names WHERE (module, offset) IN " CODE_OF
				" ORDER BY module, offset, version DESC LIMIT 1 BY module, offset "
				"FORMAT RowBinary",
				condition);
	default:
		return query_of_windows(table, selection, condition);
	}
}
