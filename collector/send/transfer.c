#include "collector/send/transfer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/base/sentence.h"

#define CONNECT_S 10L
#define SILENCE_S 30L /* in which no byte comes or goes */
#define WHOLE_S   300L
#define QUERY_S   300L /* in which a database may say nothing, as for its own programs */

/* Whether it is the answer to a query, and not what is said instead of it. */
static bool is_wanted(const struct transfer *transfer)
{
	const size_t size = strlen(transfer->take_type);
	const char *type = NULL;
	long status = 0;

	curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(transfer->curl, CURLINFO_CONTENT_TYPE, &type);
	return status == 200 && type && strncasecmp(type, transfer->take_type, size) == 0 &&
	       (!type[size] || strchr("; ", type[size]));
}

static size_t take_body(char *bytes, size_t size, size_t n, void *data)
{
	struct transfer *transfer = data;
	const size_t all = size * n;

	if (transfer->take && is_wanted(transfer))
		return transfer->take(bytes, all, transfer->take_data);
	const size_t room = TRANSFER_BODY_MAX - transfer->size;
	const size_t kept = all < room ? all : room;

	memcpy(transfer->body + transfer->size, bytes, kept);
	transfer->size += kept;
	transfer->body[transfer->size] = '\0';
	return all;
}

/* 0 or -ENOMEM. @text is freed. */
static int add_header(struct curl_slist **headers, char *text)
{
	struct curl_slist *longer = text ? curl_slist_append(*headers, text) : NULL;

	free(text);
	if (!longer)
		return -ENOMEM;
	*headers = longer;
	return 0;
}

/* Of all requests. */
static int add_headers(struct transfer *transfer)
{
	const struct transfer_options *options = transfer->options;
	/* Without "Expect: 100-continue", for which some servers never answer. */
	int err = add_header(&transfer->headers, strdup("Expect:"));

	if (!err && options->tenant)
		err = add_header(&transfer->headers,
				 sentence("X-Scope-OrgID: %s", options->tenant));
	if (!err && options->token && !options->user)
		err = add_header(&transfer->headers,
				 sentence("Authorization: Bearer %s", options->token));
	return err;
}

static void set_options(struct transfer *transfer)
{
	const struct transfer_options *options = transfer->options;
	CURL *curl = transfer->curl;

#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "dendro/" DENDRO_VERSION);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, transfer->error);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, SILENCE_S);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, WHOLE_S);
	if (options->ca_file) {
		curl_easy_setopt(curl, CURLOPT_CAINFO, options->ca_file);
		curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
	}
	if (!options->user)
		return;
	curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
	curl_easy_setopt(curl, CURLOPT_USERNAME, options->user);
	curl_easy_setopt(curl, CURLOPT_PASSWORD, options->token);
}

int transfer_init(struct transfer *transfer, const struct transfer_options *options)
{
	transfer->options = options;
	transfer->headers = NULL;
	transfer->curl = curl_global_init(CURL_GLOBAL_DEFAULT) ? NULL : curl_easy_init();
	if (!transfer->curl)
		return -ENOMEM;
	set_options(transfer);
	return add_headers(transfer);
}

void transfer_deinit(struct transfer *transfer)
{
	curl_easy_cleanup(transfer->curl);
	curl_slist_free_all(transfer->headers);
	curl_global_cleanup();
}

/* What waiting does not change. */
static bool is_lasting(CURLcode code)
{
	switch (code) {
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_ENGINE_NOTFOUND:
	case CURLE_NOT_BUILT_IN:
	case CURLE_URL_MALFORMAT:
	case CURLE_OUT_OF_MEMORY:
		return true;
	default:
		return false;
	}
}

static enum push_verdict judge(struct transfer *transfer, const struct spool_request *request,
			       uint64_t *wait_s_ret, char **words_ret, uint64_t *n_rejected_ret)
{
	struct push_answer answer = { .body = transfer->body, .size = transfer->size };
	char *type = NULL, *target = NULL;
	curl_off_t wait_s = 0;

	curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &answer.status);
	curl_easy_getinfo(transfer->curl, CURLINFO_CONTENT_TYPE, &type);
	curl_easy_getinfo(transfer->curl, CURLINFO_REDIRECT_URL, &target);
	curl_easy_getinfo(transfer->curl, CURLINFO_RETRY_AFTER, &wait_s);
	answer.type = type;
	answer.target = target;
	*wait_s_ret = wait_s > 0 ? (uint64_t)wait_s : 0;
	return push_answer_judge(&answer, request->type, words_ret, n_rejected_ret);
}

static enum push_verdict fail(const struct transfer *transfer, CURLcode code, char **words_ret)
{
	_cleanup_free_ char *text =
		printable_copy(transfer->error[0] ? transfer->error : curl_easy_strerror(code));

	*words_ret = text ? sentence("the server can't be reached: %s", text) : NULL;
	return is_lasting(code) ? PUSH_STOP : PUSH_LATER;
}

/* A parameter of the URL; none for NULL. 0 or -ENOMEM; @url is freed, or replaced. */
static int add_parameter(CURL *curl, char **url, const char *name, const char *value)
{
	char *escaped = value ? curl_easy_escape(curl, value, 0) : NULL;
	char *longer =
		escaped ? sentence("%s%c%s=%s", *url, strchr(*url, '?') ? '&' : '?', name, escaped)
			: NULL;

	curl_free(escaped);
	if (!value)
		return 0;
	free(*url);
	*url = longer;
	return longer ? 0 : -ENOMEM;
}

/* Heap; NULL: no memory. What is inserted into a table that is on several servers is to be there
 * when the answer comes. */
static char *url_of(const struct transfer *transfer, const struct spool_request *request)
{
	const char *token = transfer->has_tokens ? request->id : NULL;
	const struct {
		const char *name, *value;
	} parameters[] = {
		{ "query", request->query },
		{ "query_id", request->id },
		{ "insert_distributed_sync", "1" },
		{ "insert_deduplication_token", token },
		{ "deduplicate_blocks_in_dependent_materialized_views", token ? "1" : NULL },
		{ "async_insert", token ? "0" : NULL },
	};
	char *url = strdup(request->url);
	int err = url ? 0 : -ENOMEM;

	for (size_t i = 0; request->query && !err && i < sizeof(parameters) / sizeof(parameters[0]);
	     i++)
		err = add_parameter(transfer->curl, &url, parameters[i].name, parameters[i].value);
	return url;
}

/* 0 or -ENOMEM. */
static int list_headers(const struct transfer *transfer, const struct spool_request *request,
			struct curl_slist **own)
{
	int err = add_header(own, sentence("Content-Type: %s", request->type));

	if (!err && request->encoding)
		err = add_header(own, sentence("Content-Encoding: %s", request->encoding));
	for (const struct curl_slist *header = transfer->headers; header && !err;
	     header = header->next)
		err = add_header(own, strdup(header->data));
	return err;
}

static CURLcode perform(struct transfer *transfer, const struct spool_request *request)
{
	struct curl_slist *own = NULL;
	char *url = url_of(transfer, request);
	const int err = url ? list_headers(transfer, request, &own) : -ENOMEM;

	transfer->size = 0;
	transfer->body[0] = transfer->error[0] = '\0';
	curl_easy_setopt(transfer->curl, CURLOPT_URL, url);
	curl_easy_setopt(transfer->curl, CURLOPT_POSTFIELDS, request->body);
	curl_easy_setopt(transfer->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->size);
	curl_easy_setopt(transfer->curl, CURLOPT_HTTPHEADER, own);
	/* On a connection that was used before and ends without an answer, curl would send the
	 * request again by itself. */
	curl_easy_setopt(transfer->curl, CURLOPT_FRESH_CONNECT, request->ask ? 1L : 0L);
	const CURLcode code = err ? CURLE_OUT_OF_MEMORY : curl_easy_perform(transfer->curl);
	curl_easy_setopt(transfer->curl, CURLOPT_HTTPHEADER, NULL);
	curl_slist_free_all(own);
	free(url);
	return code;
}

enum push_verdict transfer_run(struct transfer *transfer, const struct spool_request *request,
			       uint64_t *wait_s_ret, char **words_ret, uint64_t *n_rejected_ret)
{
	*wait_s_ret = *n_rejected_ret = 0;
	*words_ret = NULL;
	const CURLcode code = perform(transfer, request);
	return code ? fail(transfer, code, words_ret)
		    : judge(transfer, request, wait_s_ret, words_ret, n_rejected_ret);
}

enum push_verdict transfer_ask(struct transfer *transfer, const char *url, const char *query,
			       const char *id, char **words_ret)
{
	char *whole = strdup(url);
	struct spool_request request = { .type = "text/plain",
					 .body = query,
					 .size = strlen(query) };
	const int err = whole ? add_parameter(transfer->curl, &whole, "query_id", id) : -ENOMEM;
	uint64_t wait_s, n_rejected;

	request.url = whole;
	*words_ret = NULL;
	const CURLcode code = err ? CURLE_OUT_OF_MEMORY : perform(transfer, &request);
	free(whole);
	if (code)
		return fail(transfer, code, words_ret);
	/* Answers of queries have types of many names. */
	long status = 0;
	curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status == 200)
		return PUSH_TAKEN;
	return judge(transfer, &request, &wait_s, words_ret, &n_rejected);
}

char *transfer_fetch(struct transfer *transfer, const char *url, const struct file_text *query,
		     const char *type, transfer_taker take, void *take_data)
{
	const struct spool_request request = {
		.url = url, .type = type, .body = query->bytes, .size = query->size
	};
	uint64_t wait_s, n_rejected;
	char *words = NULL;

	transfer->take = take;
	transfer->take_data = take_data;
	transfer->take_type = type;
	/* The answer begins when the database has added all up. */
	curl_easy_setopt(transfer->curl, CURLOPT_LOW_SPEED_TIME, QUERY_S);
	curl_easy_setopt(transfer->curl, CURLOPT_TIMEOUT, 0L);
	const CURLcode code = perform(transfer, &request);
	curl_easy_setopt(transfer->curl, CURLOPT_LOW_SPEED_TIME, SILENCE_S);
	curl_easy_setopt(transfer->curl, CURLOPT_TIMEOUT, WHOLE_S);
	transfer->take = NULL;
	if (code)
		fail(transfer, code, &words);
	else if (judge(transfer, &request, &wait_s, &words, &n_rejected) == PUSH_TAKEN)
		return words;
	return words ? words : strdup("the server can't be asked: there is not enough memory");
}
