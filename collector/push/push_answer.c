#include "collector/push/push_answer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/sentence.h"
#include "cct/object/dwarf_reader.h"

#define SAID_MAX 300 /* bytes of what a server says that are shown */
#define OTLP     "application/x-protobuf"

/* ExportProfilesServiceResponse and ExportProfilesPartialSuccess of opentelemetry-proto's
 * profiles_service.proto. */
enum response_field { RESPONSE_PARTIAL_SUCCESS = 1 };
enum partial_success_field { PARTIAL_REJECTED = 1, PARTIAL_MESSAGE = 2 };

/* The begin of what the server says, on one line. Heap; NULL: no memory. */
static char *printable_begin(const void *bytes, size_t size)
{
	_cleanup_free_ char *begin = strndup(bytes, size < SAID_MAX ? size : SAID_MAX);

	if (!begin)
		return NULL;
	for (char *c = begin; *c; c++) {
		if (*c == '\n' || *c == '\r' || *c == '\t')
			*c = ' ';
	}
	for (size_t n = strlen(begin); n && begin[n - 1] == ' ';)
		begin[--n] = '\0';
	return printable_copy(begin);
}

static char *said(const struct push_answer *answer, const char *advice)
{
	_cleanup_free_ char *text = printable_begin(answer->size ? answer->body : "", answer->size);

	return sentence("the server answers with HTTP %ld%s%s%s%s", answer->status,
			text && text[0] ? ": " : "", text && text[0] ? text : "",
			advice ? "; " : "", advice ? advice : "");
}

/* -- what was taken ------------------------------------------------------------------------- */

/* A field of a message: its number, and its value or bytes. false: the end, or it is broken. */
struct wire_field {
	uint64_t number, value;
	const uint8_t *bytes; /* NULL: it is a number */
};

static bool next_field(struct dwarf_reader *reader, struct wire_field *field)
{
	if (!dwarf_left(reader))
		return false;
	const uint64_t key = dwarf_read_uleb(reader);

	*field = (struct wire_field){ .number = key >> 3 };
	switch (key & 7) {
	case 0:
		field->value = dwarf_read_uleb(reader);
		break;
	case 1:
		field->value = dwarf_read_unsigned(reader, 8);
		break;
	case 2:
		field->value = dwarf_read_uleb(reader);
		field->bytes = dwarf_read_block(reader, field->value);
		return field->bytes;
	case 5:
		field->value = dwarf_read_unsigned(reader, 4);
		break;
	default:
		dwarf_break(reader);
	}
	return !reader->is_broken;
}

/* false: it is not such a message. */
static bool read_partial(const struct wire_field *message, uint64_t *n_rejected_ret,
			 char **words_ret)
{
	struct dwarf_reader reader = dwarf_reader(message->bytes, message->value);
	struct wire_field field;

	while (next_field(&reader, &field)) {
		if (field.number == PARTIAL_REJECTED && !field.bytes)
			*n_rejected_ret = field.value;
		if (field.number != PARTIAL_MESSAGE || !field.bytes || !field.value)
			continue;
		free(*words_ret);
		*words_ret = printable_begin(field.bytes, field.value);
	}
	return !reader.is_broken;
}

static void read_response(const struct push_answer *answer, uint64_t *n_rejected_ret,
			  char **words_ret)
{
	bool is_whole = true;
	struct wire_field field;

	if (!answer->size)
		return;
	struct dwarf_reader reader = dwarf_reader((const uint8_t *)answer->body, answer->size);
	while (next_field(&reader, &field)) {
		if (field.number == RESPONSE_PARTIAL_SUCCESS && field.bytes)
			is_whole &= read_partial(&field, n_rejected_ret, words_ret);
	}
	if (*n_rejected_ret || (!reader.is_broken && is_whole && !*words_ret))
		return;
	_cleanup_free_ char *warning = *words_ret;
	*words_ret = warning ? sentence("the server says: %s", warning)
			     : sentence("the server's answer can't be read");
}

/* Whoever stands between may answer in the server's place, with a page to log in, for example. */
static bool is_of_server(const struct push_answer *answer, const char *request_type)
{
	const size_t size = strlen(request_type);

	return !answer->size ||
	       (answer->type && strncasecmp(answer->type, request_type, size) == 0 &&
		(!answer->type[size] || strchr("; ", answer->type[size])));
}

static enum push_verdict judge_success(const struct push_answer *answer, const char *request_type,
				       char **words_ret, uint64_t *n_rejected_ret)
{
	if (!is_of_server(answer, request_type)) {
		_cleanup_free_ char *type = printable_copy(answer->type ? answer->type : "nothing");

		*words_ret = sentence("it answers with HTTP %ld and %s, not with %s, so something "
				      "else than the server has answered; check the URL",
				      answer->status, type ? type : "something", request_type);
		return PUSH_STOP;
	}
	if (strcmp(request_type, OTLP) == 0)
		read_response(answer, n_rejected_ret, words_ret);
	return PUSH_TAKEN;
}

/* -- databases ------------------------------------------------------------------------------ */

/* ClickHouse answers with HTTP 500 to most of what goes wrong, and with the number of an error
 * (src/Common/ErrorCodes.cpp). 0: it does not. */
static unsigned long clickhouse_error(const struct push_answer *answer)
{
	static const char begin[] = "Code: ";
	const size_t size = sizeof(begin) - 1;
	char digits[8] = "";

	if (answer->size <= size || memcmp(answer->body, begin, size) != 0)
		return 0;
	for (size_t i = 0; i + 1 < sizeof(digits) && size + i < answer->size; i++)
		digits[i] = answer->body[size + i];
	return strtoul(digits, NULL, 10);
}

static enum push_verdict judge_clickhouse(unsigned long error, long status, const char **advice_ret)
{
	switch (error) {
	case 192: /* UNKNOWN_USER */
	case 193: /* WRONG_PASSWORD */
	case 194: /* REQUIRED_PASSWORD */
	case 516: /* AUTHENTICATION_FAILED */
		*advice_ret = "check the user and the password (--token-file)";
		return PUSH_STOP;
	case 60: /* UNKNOWN_TABLE */
	case 81: /* UNKNOWN_DATABASE */
		*advice_ret = "--create-tables makes the tables";
		return PUSH_STOP;
	case 16:  /* NO_SUCH_COLUMN_IN_TABLE */
	case 164: /* READONLY */
	case 291: /* DATABASE_ACCESS_DENIED */
	case 497: /* ACCESS_DENIED */
		return PUSH_STOP;
	case 159: /* TIMEOUT_EXCEEDED */
	case 202: /* TOO_MANY_SIMULTANEOUS_QUERIES */
	case 209: /* SOCKET_TIMEOUT */
	case 210: /* NETWORK_ERROR */
	case 216: /* QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING */
	case 225: /* NO_ZOOKEEPER */
	case 241: /* MEMORY_LIMIT_EXCEEDED */
	case 242: /* TABLE_IS_READ_ONLY */
	case 243: /* NOT_ENOUGH_SPACE */
	case 252: /* TOO_MANY_PARTS */
	case 279: /* ALL_CONNECTION_TRIES_FAILED */
	case 285: /* TOO_FEW_LIVE_REPLICAS */
	case 319: /* UNKNOWN_STATUS_OF_INSERT */
	case 394: /* QUERY_WAS_CANCELLED */
	case 999: /* KEEPER_EXCEPTION */
		return PUSH_LATER;
	default:
		return status == 400 ? PUSH_REFUSED : PUSH_FAILED;
	}
}

/* -- what was not --------------------------------------------------------------------------- */

static enum push_verdict judge_redirection(const struct push_answer *answer, char **words_ret)
{
	_cleanup_free_ char *target = answer->target ? printable_copy(answer->target) : NULL;

	*words_ret = sentence("the server answers with HTTP %ld, and is at %s; redirections are "
			      "not followed, so name that URL",
			      answer->status, target ? target : "another URL");
	return PUSH_STOP;
}

enum push_verdict push_answer_judge(const struct push_answer *answer, const char *request_type,
				    char **words_ret, uint64_t *n_rejected_ret)
{
	const long status = answer->status;
	const char *advice = NULL;
	enum push_verdict verdict = PUSH_STOP;

	*words_ret = NULL;
	*n_rejected_ret = 0;
	const unsigned long error = clickhouse_error(answer);
	if (error) {
		verdict = judge_clickhouse(error, status, &advice);
		*words_ret = said(answer, advice);
		return verdict;
	}
	if (status >= 200 && status < 300)
		return judge_success(answer, request_type, words_ret, n_rejected_ret);
	if (status >= 300 && status < 400)
		return judge_redirection(answer, words_ret);
	if (status == 401 || status == 403)
		advice = "check the token (--token-file)";
	else if (status == 404 || status == 405)
		advice = "check the URL";
	else if (status == 407)
		advice = "the proxy wants a user and a password";
	else if (status == 408 || status == 429 || (status >= 502 && status <= 504))
		verdict = PUSH_LATER;
	else if (status >= 500)
		verdict = PUSH_FAILED;
	else
		verdict = status >= 400 ? PUSH_REFUSED : PUSH_LATER;
	*words_ret = said(answer, advice);
	return verdict;
}
