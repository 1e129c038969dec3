#include "collector/schema/schema.h"

#include <inttypes.h>
#include <string.h>

#define TABLE          "CREATE TABLE IF NOT EXISTS "
#define VIEW           "CREATE MATERIALIZED VIEW IF NOT EXISTS "
#define ENGINE         "ENGINE = "
#define PLACEMENT      "-- on: "
#define EVERYWHERE     "all servers"
#define NOT_REPLICATED "non_replicated_"

/* schema_bytes.S */
extern const char schema_version_1[];

static const char *const versions[SCHEMA_VERSION] = { schema_version_1 };

/* A part of a line, without an end of its own. */
struct words {
	const char *text;
	int size;
};

/* What is known of the statement at hand. */
struct rendering {
	FILE *out;
	const char *cluster, *database;
	struct words placement, name;
	bool is_everywhere, is_view;
};

bool schema_is_name(const char *text)
{
	return text[0] && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789_-") == strlen(text);
}

/* -- clusters ------------------------------------------------------------------------------- */

/* A server that hears of a statement from another one may be in another database than that one is:
 * tables that a statement names are of one that it names. */

static bool begins_with(struct words line, const char *begin, struct words *rest_ret)
{
	const int size = (int)strlen(begin);

	if (line.size < size || memcmp(line.text, begin, (size_t)size) != 0)
		return false;
	*rest_ret = (struct words){ line.text + size, line.size - size };
	return true;
}

static bool is_equal(struct words words, const char *text)
{
	struct words rest;

	return begins_with(words, text, &rest) && !rest.size;
}

static void write_table(struct rendering *rendering)
{
	fprintf(rendering->out, TABLE "%.*s%s ON CLUSTER '%s'\n", rendering->name.size,
		rendering->name.text, rendering->is_everywhere ? "" : "_local", rendering->cluster);
}

/* @rest: "NAME TO TABLE" */
static void write_view(struct rendering *rendering, struct words rest)
{
	const char *to = memmem(rest.text, (size_t)rest.size, " TO ", strlen(" TO "));
	const int size = (int)(to - rest.text);

	rendering->is_view = true;
	fprintf(rendering->out, VIEW "%.*s ON CLUSTER '%s' TO `%s`.%.*s_local\n", size, rest.text,
		rendering->cluster, rendering->database, rest.size - size - (int)strlen(" TO "),
		to + strlen(" TO "));
}

/* @rest: "ENGINE", "ENGINE(ARGUMENTS)", either with a semicolon */
static void write_engine(const struct rendering *rendering, struct words rest)
{
	const struct words name = rendering->name;
	const int size = (int)strcspn(rest.text, "(;\n");
	const bool has_arguments = rest.text[size] == '(';

	fprintf(rendering->out,
		ENGINE "Replicated%.*s('/clickhouse/tables/%s{database}/%.*s', '%s'", size,
		rest.text, rendering->is_everywhere ? "" : "{shard}/", name.size, name.text,
		rendering->is_everywhere ? "{shard}-{replica}" : "{replica}");
	if (has_arguments)
		fprintf(rendering->out, ", %.*s\n", rest.size - size - 1, rest.text + size + 1);
	else
		fprintf(rendering->out, ")%.*s\n", rest.size - size, rest.text + size);
}

static void write_distributed(const struct rendering *rendering)
{
	const struct words name = rendering->name, placement = rendering->placement;

	fprintf(rendering->out,
		"\n" TABLE "%.*s ON CLUSTER '%s' AS `%s`.%.*s_local\n" ENGINE
		"Distributed('%s', '%s', %.*s_local, %.*s);\n",
		name.size, name.text, rendering->cluster, rendering->database, name.size, name.text,
		rendering->cluster, rendering->database, name.size, name.text, placement.size,
		placement.text);
}

static void write_line(struct rendering *rendering, struct words line)
{
	struct words rest;

	if (begins_with(line, PLACEMENT, &rest)) {
		rendering->placement = rest;
		rendering->is_everywhere = is_equal(rest, EVERYWHERE);
	} else if (begins_with(line, TABLE, &rest)) {
		rendering->name = rest;
		rendering->is_view = false;
		write_table(rendering);
	} else if (begins_with(line, VIEW, &rest)) {
		write_view(rendering, rest);
	} else if (begins_with(line, ENGINE, &rest)) {
		write_engine(rendering, rest);
	} else if (begins_with(line, "SETTINGS " NOT_REPLICATED, &rest)) {
		fprintf(rendering->out, "SETTINGS replicated_%.*s\n", rest.size, rest.text);
	} else if (is_equal(line, "FROM samples")) {
		fprintf(rendering->out, "FROM `%s`.samples_local\n", rendering->database);
	} else {
		fprintf(rendering->out, "%.*s\n", line.size, line.text);
	}
	if (line.size && line.text[line.size - 1] == ';' && !rendering->is_view &&
	    !rendering->is_everywhere)
		write_distributed(rendering);
}

static void write_of_cluster(FILE *out, const char *text, const char *cluster, const char *database)
{
	struct rendering rendering = { .out = out, .cluster = cluster, .database = database };

	while (*text) {
		const size_t size = strcspn(text, "\n");

		write_line(&rendering, (struct words){ text, (int)size });
		text += size + (text[size] != '\0');
	}
}

/* ------------------------------------------------------------------------------------------- */

void schema_write(FILE *out, uint32_t from_version, const char *cluster, const char *database)
{
	for (uint32_t i = from_version; i < SCHEMA_VERSION; i++) {
		if (cluster)
			write_of_cluster(out, versions[i], cluster, database);
		else
			fputs(versions[i], out);
		fprintf(out, "\nINSERT INTO dendro_schema (version) VALUES (%" PRIu32 ");\n",
			i + 1);
	}
}
