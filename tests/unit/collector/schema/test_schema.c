#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/schema/schema.h"

/* Heap. */
static char *schema_text(uint32_t from_version, const char *cluster)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	schema_write(out, from_version, cluster, "profiles");
	assert_int_equal(fclose(out), 0);
	return text;
}

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

static void tables_of_a_version_end_with_a_note_of_it(void **state)
{
	char *text = schema_text(0, NULL);

	assert_int_equal(count(text, "CREATE TABLE IF NOT EXISTS "), 9);
	assert_int_equal(count(text, "CREATE MATERIALIZED VIEW IF NOT EXISTS "), 2);
	assert_int_equal(count(text, ";\n"), 12);
	assert_int_equal(count(text, "(version) VALUES (1);\n"), 1);
	assert_string_equal(strrchr(text, '(') + 1, "1);\n");
	free(text);
	text = schema_text(SCHEMA_VERSION, NULL);
	assert_string_equal(text, "");
	free(text);
	(void)state;
}

static void a_cluster_has_replicated_tables_and_those_that_are_distributed(void **state)
{
	char *text = schema_text(0, "many");

	assert_int_equal(count(text, " ON CLUSTER 'many'"), 9 + 8 + 2);
	assert_int_equal(count(text, "ENGINE = Replicated"), 9);
	assert_int_equal(count(text, "ENGINE = Distributed('many', "), 8);
	assert_int_equal(count(text, "ENGINE = MergeTree"), 0);
	assert_int_equal(count(text, "-- on: "), 0);
	assert_non_null(strstr(text, "ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/"
				     "{database}/samples', '{replica}')\nPARTITION BY"));
	assert_non_null(strstr(text, "ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/"
				     "{shard}/{database}/names', '{replica}', version)\n"));
	assert_non_null(strstr(text, "'/clickhouse/tables/{database}/dendro_schema', "
				     "'{shard}-{replica}')\nORDER BY version;\n"));
	assert_non_null(strstr(text, "samples_minute_sums ON CLUSTER 'many' TO "
				     "`profiles`.samples_minute_local\n"));
	assert_non_null(strstr(text, "\nFROM `profiles`.samples_local\n"));
	assert_int_equal(count(text, "`profiles`."), 8 + 2 + 2);
	assert_int_equal(count(text, " AS `profiles`."), 8);
	assert_non_null(strstr(text, "Distributed('many', 'profiles', samples_local, "
				     "cityHash64(host));\n"));
	assert_int_equal(count(text, "non_replicated"), 0);
	assert_int_equal(count(text, "SETTINGS replicated_deduplication_window = 10000"), 3);
	free(text);
	(void)state;
}

static void names_have_no_signs_of_sql(void **state)
{
	assert_true(schema_is_name("fra-1_profiles"));
	assert_false(schema_is_name(""));
	assert_false(schema_is_name("a'b"));
	assert_false(schema_is_name("a b"));
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_a_version_end_with_a_note_of_it),
		cmocka_unit_test(a_cluster_has_replicated_tables_and_those_that_are_distributed),
		cmocka_unit_test(names_have_no_signs_of_sql),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
