#include "report/verify/verify_firefox.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/verify/gunzip.h"
#include "report/verify/json_reader.h"

/* What indices lead to. */
enum table {
	STACKS,
	FRAMES,
	FUNCTIONS,
	NATIVES,
	RESOURCES,
	SOURCES,
	STRINGS,
	LIBS,
	CATEGORIES,
	THREADS,
	N_TABLES,
	NONE = N_TABLES
};

/* The first ones are members of "shared" with columns. */
static const char *const names[N_TABLES] = {
	[STACKS] = "stackTable",       [FRAMES] = "frameTable",
	[FUNCTIONS] = "funcTable",     [NATIVES] = "nativeSymbols",
	[RESOURCES] = "resourceTable", [SOURCES] = "sources",
	[STRINGS] = "stringArray",     [LIBS] = "libs",
	[CATEGORIES] = "categories",   [THREADS] = "threads",
};
#define N_SHARED (SOURCES + 1)

static const struct reference {
	const char *table, *column;
	enum table to;
} references[] = {
	{ "stackTable", "frame", FRAMES },        { "stackTable", "prefix", STACKS },
	{ "frameTable", "func", FUNCTIONS },      { "frameTable", "nativeSymbol", NATIVES },
	{ "frameTable", "category", CATEGORIES }, { "frameTable", "lib", LIBS },
	{ "funcTable", "name", STRINGS },         { "funcTable", "resource", RESOURCES },
	{ "funcTable", "source", SOURCES },       { "resourceTable", "name", STRINGS },
	{ "resourceTable", "lib", LIBS },         { "nativeSymbols", "libIndex", LIBS },
	{ "nativeSymbols", "name", STRINGS },     { "sources", "filename", STRINGS },
	{ "samples", "stack", STACKS },           { "markers", "name", STRINGS },
	{ "markers", "category", CATEGORIES },
};

struct checker {
	struct json_reader reader;
	uint64_t n[N_TABLES];
	bool has_shared;
};

/* A table that is being read. */
struct place {
	const char *of; /* "thread", "counter"; "": all of them share it */
	size_t number;
	const char *table;
	char column[JSON_KEY_MAX];
};

__attribute__((format(printf, 3, 4))) static bool
fail(struct checker *checker, const struct place *place, const char *format, ...);

static bool fail(struct checker *checker, const struct place *place, const char *format, ...)
{
	char problem[256], owner[64] = "";
	va_list args;

	va_start(args, format);
	vsnprintf(problem, sizeof(problem), format, args);
	va_end(args);
	if (*place->of)
		snprintf(owner, sizeof(owner), "%s %zu, ", place->of, place->number);
	return verification_fail(checker->reader.verification, "%s%s%s%s: %s", owner, place->table,
				 *place->column ? "." : "", place->column, problem);
}

/* -- counting --------------------------------------------------------------------------------- */

static void count_elements(struct checker *checker, enum table table)
{
	struct json_items items;

	json_start(&checker->reader, &items, JSON_ARRAY);
	for (; json_next(&checker->reader, &items); checker->n[table]++)
		json_skip(&checker->reader);
}

static void count_rows(struct checker *checker, enum table table)
{
	struct json_items items;

	json_start(&checker->reader, &items, JSON_OBJECT);
	while (json_next(&checker->reader, &items)) {
		if (strcmp(items.key, "length") == 0)
			json_read_index(&checker->reader, &checker->n[table]);
		else
			json_skip(&checker->reader);
	}
}

/* Where tables are. */
enum section { WHOLE, META, SHARED };

static bool is_in(enum section section, unsigned table)
{
	return section == SHARED ? table <= STRINGS
	       : section == META ? table == CATEGORIES
				 : table == LIBS || table == THREADS;
}

static void count_members(struct checker *checker, enum section section)
{
	struct json_items items;

	json_start(&checker->reader, &items, JSON_OBJECT);
	while (json_next(&checker->reader, &items)) {
		unsigned table = 0;

		while (table < N_TABLES &&
		       (!is_in(section, table) || strcmp(items.key, names[table]) != 0))
			table++;
		if (section == WHOLE && strcmp(items.key, "shared") == 0) {
			checker->has_shared = true;
			count_members(checker, SHARED);
		} else if (section == WHOLE && strcmp(items.key, "meta") == 0) {
			count_members(checker, META);
		} else if (table == N_TABLES) {
			json_skip(&checker->reader);
		} else if (table < N_SHARED) {
			count_rows(checker, (enum table)table);
		} else {
			count_elements(checker, (enum table)table);
		}
	}
}

/* -- columns ---------------------------------------------------------------------------------- */

static enum table target_of(const struct place *place)
{
	for (size_t i = 0; i < sizeof(references) / sizeof(references[0]); i++) {
		if (strcmp(references[i].table, place->table) == 0 &&
		    strcmp(references[i].column, place->column) == 0)
			return references[i].to;
	}
	return NONE;
}

static bool check_index(struct checker *checker, const struct place *place, enum table to,
			size_t row)
{
	uint64_t index;

	if (!json_read_optional(&checker->reader, &index))
		return false;
	return index == UINT64_MAX || index < checker->n[to] ||
	       fail(checker, place, "row %zu leads to %" PRIu64 " in %s, which has %" PRIu64, row,
		    index, names[to], checker->n[to]);
}

/* How many rows before it a stack's caller is. */
static bool check_offset(struct checker *checker, const struct place *place, size_t row)
{
	uint64_t offset;

	if (!json_read_index(&checker->reader, &offset))
		return false;
	return offset <= row || fail(checker, place, "row %zu leads to before the first row", row);
}

static bool check_time(struct checker *checker, const struct place *place, size_t row,
		       long double *last)
{
	long double time;

	if (!json_read_number(&checker->reader, &time))
		return false;
	if (row && time < *last)
		return fail(checker, place, "row %zu is before the last", row);
	*last = time;
	return true;
}

/* The data of a marker, which may have a stack. */
static bool check_data(struct checker *checker, const struct place *place, size_t row)
{
	struct json_items items, cause;

	if (json_peek(&checker->reader) != JSON_OBJECT)
		return json_skip(&checker->reader);
	json_start(&checker->reader, &items, JSON_OBJECT);
	while (json_next(&checker->reader, &items)) {
		if (strcmp(items.key, "cause") != 0 || json_peek(&checker->reader) != JSON_OBJECT) {
			json_skip(&checker->reader);
			continue;
		}
		json_start(&checker->reader, &cause, JSON_OBJECT);
		while (json_next(&checker->reader, &cause)) {
			if (strcmp(cause.key, "stack") == 0)
				check_index(checker, place, STACKS, row);
			else
				json_skip(&checker->reader);
		}
	}
	return json_is_sound(&checker->reader);
}

/* Returns the number of rows. */
static size_t check_column(struct checker *checker, const struct place *place)
{
	const enum table to = target_of(place);
	const bool are_offsets = strcmp(place->column, "prefixOffset") == 0;
	const bool are_times = strcmp(place->column, "time") == 0;
	const bool are_data =
		strcmp(place->table, "markers") == 0 && strcmp(place->column, "data") == 0;
	struct json_items items;
	long double last = 0;
	size_t row = 0;

	json_start(&checker->reader, &items, JSON_ARRAY);
	for (; json_next(&checker->reader, &items); row++) {
		if (to != NONE)
			check_index(checker, place, to, row);
		else if (are_offsets)
			check_offset(checker, place, row);
		else if (are_times)
			check_time(checker, place, row, &last);
		else if (are_data)
			check_data(checker, place, row);
		else
			json_skip(&checker->reader);
	}
	return row;
}

/* All columns have as many rows, which is the length. */
static void check_table(struct checker *checker, struct place *place)
{
	struct json_items items;
	uint64_t n = 0, length = UINT64_MAX;
	bool has_column = false;

	json_start(&checker->reader, &items, JSON_OBJECT);
	while (json_next(&checker->reader, &items)) {
		memcpy(place->column, items.key, sizeof(place->column));
		if (strcmp(items.key, "length") == 0) {
			json_read_index(&checker->reader, &length);
		} else if (json_peek(&checker->reader) != JSON_ARRAY) {
			json_skip(&checker->reader);
		} else {
			const size_t n_rows = check_column(checker, place);

			if (has_column && n_rows != n)
				fail(checker, place,
				     "it has %zu rows, and columns before it have %" PRIu64, n_rows,
				     n);
			has_column = true;
			n = n_rows;
		}
	}
	memcpy(place->column, "length", sizeof("length"));
	if (json_is_sound(&checker->reader) && length != n && has_column)
		fail(checker, place, "it is %" PRId64 ", and columns have %" PRIu64 " rows",
		     (int64_t)length, n);
}

/* -- the file --------------------------------------------------------------------------------- */

static void check_shared(struct checker *checker)
{
	struct json_items items;

	json_start(&checker->reader, &items, JSON_OBJECT);
	while (json_next(&checker->reader, &items)) {
		struct place place = { .of = "", .table = items.key };
		unsigned table = STACKS;

		while (table < N_SHARED && strcmp(items.key, names[table]) != 0)
			table++;
		if (table < N_SHARED)
			check_table(checker, &place);
		else
			json_skip(&checker->reader);
	}
}

/* Threads and counters have tables, and counters a thread. */
static void check_owner(struct checker *checker, const char *what, size_t number)
{
	struct json_items items;

	json_start(&checker->reader, &items, JSON_OBJECT);
	while (json_next(&checker->reader, &items)) {
		struct place place = { .of = what, .number = number, .table = items.key };

		if (strcmp(items.key, "mainThreadIndex") == 0) {
			check_index(checker, &place, THREADS, 0);
		} else if ((strcmp(items.key, "samples") == 0 ||
			    strcmp(items.key, "markers") == 0) &&
			   json_peek(&checker->reader) == JSON_OBJECT) {
			check_table(checker, &place);
		} else {
			json_skip(&checker->reader);
		}
	}
}

static void check_owners(struct checker *checker, const char *what)
{
	struct json_items items;

	json_start(&checker->reader, &items, JSON_ARRAY);
	for (size_t i = 0; json_next(&checker->reader, &items); i++)
		check_owner(checker, what, i);
}

static void check_file(struct checker *checker)
{
	struct json_reader *reader = &checker->reader;
	struct json_items items;

	json_start(reader, &items, JSON_OBJECT);
	while (json_next(reader, &items)) {
		if (strcmp(items.key, "shared") == 0)
			check_shared(checker);
		else if (strcmp(items.key, "threads") == 0)
			check_owners(checker, "thread");
		else if (strcmp(items.key, "counters") == 0)
			check_owners(checker, "counter");
		else
			json_skip(reader);
	}
}

void verify_firefox(struct verification *verification, const uint8_t *bytes, size_t size)
{
	struct checker checker = { .reader = { verification, bytes, size, 0 } };
	uint8_t *expanded = NULL;

	if (gunzip_recognizes(bytes, size) &&
	    gunzip(verification, bytes, size, &expanded, &checker.reader.size))
		checker.reader.bytes = expanded;
	if (json_is_sound(&checker.reader))
		count_members(&checker, WHOLE);
	if (json_finish(&checker.reader) && !checker.has_shared)
		verification_fail(verification, "it has no 'shared' tables, as all profiles but "
						"those of old versions have");
	checker.reader.at = 0;
	if (json_is_sound(&checker.reader))
		check_file(&checker);
	free(expanded);
}
