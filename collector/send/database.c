#include "collector/send/database.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "collector/schema/schema.h"

/* DB::ErrorCodes of ClickHouse. */
#define UNKNOWN_TABLE    "Code: 60"
#define UNKNOWN_DATABASE "Code: 81"

#define FIRST_WITH_ZSTD 21 /* in what is sent by HTTP */

/* 1 where the server knows tokens of insertions; and the first number of its version. */
#define LOOK                                                                                \
	"SELECT max(version), toString(argMin(database_id, applied)), "                     \
	"(SELECT count() FROM system.settings WHERE name = 'insert_deduplication_token'), " \
	"splitByChar('.', version())[1] FROM dendro_schema FORMAT TabSeparated"

static bool has_begin(const struct transfer *transfer, const char *begin)
{
	const size_t size = strlen(begin);

	return strncmp(transfer->body, begin, size) == 0 && transfer->body[size] &&
	       strchr("., ", transfer->body[size]);
}

static bool is_id(const char *text)
{
	return strlen(text) == DATABASE_ID_SIZE - 1 &&
	       strspn(text, "0123456789abcdef-") == DATABASE_ID_SIZE - 1;
}

/* false: it is not an answer to LOOK. */
static bool read_answer(struct database *database, struct transfer *transfer)
{
	char id[DATABASE_ID_SIZE];
	uint32_t version;
	unsigned tokens, release;

	if (sscanf(transfer->body, "%" SCNu32 "\t%36[0-9a-f-]\t%u\t%u", &version, id, &tokens,
		   &release) != 4 ||
	    !is_id(id))
		return false;
	database->version = version;
	memcpy(database->id, id, sizeof(id));
	transfer->has_tokens = tokens;
	transfer->takes_zstd = release >= FIRST_WITH_ZSTD;
	return true;
}

enum push_verdict database_look(struct database *database, struct transfer *transfer,
				char **words_ret)
{
	const enum push_verdict verdict =
		transfer_ask(transfer, database->url, LOOK, NULL, words_ret);

	database->version = 0;
	if (verdict == PUSH_TAKEN && !read_answer(database, transfer)) {
		*words_ret = sentence("what answers is not a ClickHouse server; check the URL");
		return PUSH_STOP;
	}
	if (verdict == PUSH_TAKEN ||
	    (!has_begin(transfer, UNKNOWN_TABLE) && !has_begin(transfer, UNKNOWN_DATABASE)))
		return verdict;
	free(*words_ret);
	*words_ret = NULL;
	return PUSH_TAKEN;
}

enum push_verdict database_check(struct database *database, struct transfer *transfer,
				 char **words_ret)
{
	const enum push_verdict verdict = database_look(database, transfer, words_ret);

	if (verdict != PUSH_TAKEN || database->version == SCHEMA_VERSION)
		return verdict;
	if (database->version > SCHEMA_VERSION)
		*words_ret = sentence("the tables in database '%s' are of version %" PRIu32
				      ", which this dendro does not know: use a newer one",
				      database->name, database->version);
	else
		*words_ret = sentence("database '%s' lacks tables of dendro: 'dendro push "
				      "--create-tables --to' with the same URL makes them",
				      database->name);
	return PUSH_STOP;
}

/* -- making tables -------------------------------------------------------------------------- */

static enum push_verdict create_database(const struct database *database, struct transfer *transfer,
					 char **words_ret)
{
	_cleanup_free_ char *url =
		strndup(database->url, strcspn(database->url, "?")); /* which need not be there */
	_cleanup_free_ char *statement =
		sentence("CREATE DATABASE IF NOT EXISTS `%s`%s%s%s", database->name,
			 database->cluster ? " ON CLUSTER '" : "",
			 database->cluster ? database->cluster : "", database->cluster ? "'" : "");

	*words_ret = NULL;
	return url && statement ? transfer_ask(transfer, url, statement, NULL, words_ret)
				: PUSH_STOP;
}

/* One after the other; each is ended by a semicolon at the end of a line. */
static enum push_verdict execute(const struct database *database, struct transfer *transfer,
				 char *statements, unsigned *n_ret, char **words_ret)
{
	enum push_verdict verdict = PUSH_TAKEN;
	char *end;

	for (; verdict == PUSH_TAKEN && (end = strstr(statements, ";\n")); statements = end + 2) {
		*end = '\0';
		verdict = transfer_ask(transfer, database->url, statements, NULL, words_ret);
		++*n_ret;
	}
	return verdict;
}

enum push_verdict database_create(struct database *database, struct transfer *transfer,
				  unsigned *n_ret, char **words_ret)
{
	_cleanup_free_ char *statements = NULL;
	size_t size;

	*n_ret = 0;
	enum push_verdict verdict = database_look(database, transfer, words_ret);
	if (verdict == PUSH_TAKEN && database->version > SCHEMA_VERSION)
		return database_check(database, transfer, words_ret);
	if (verdict == PUSH_TAKEN && !database->version)
		verdict = create_database(database, transfer, words_ret);
	FILE *out = verdict == PUSH_TAKEN ? open_memstream(&statements, &size) : NULL;
	if (!out)
		return verdict == PUSH_TAKEN ? PUSH_STOP : verdict;
	schema_write(out, database->version, database->cluster, database->name);
	return fclose(out) ? PUSH_STOP : execute(database, transfer, statements, n_ret, words_ret);
}
