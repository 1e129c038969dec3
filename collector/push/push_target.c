#include "collector/push/push_target.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/sentence.h"
#include "collector/schema/schema.h"

static const struct {
	const char *scheme, *plain;
	enum push_protocol protocol;
	const char *endpoint; /* of a database: its port */
} schemes[] = {
	{ "pyroscope+https://", "https://", PUSH_PYROSCOPE, "/push.v1.PusherService/Push" },
	{ "pyroscope+http://", "http://", PUSH_PYROSCOPE, "/push.v1.PusherService/Push" },
	{ "otlp+https://", "https://", PUSH_OTLP, "/v1development/profiles" },
	{ "otlp+http://", "http://", PUSH_OTLP, "/v1development/profiles" },
	{ "clickhouse+https://", "https://", PUSH_CLICKHOUSE, ":8443" },
	{ "clickhouse+http://", "http://", PUSH_CLICKHOUSE, ":8123" },
};
#define N_SCHEMES (sizeof(schemes) / sizeof(schemes[0]))

static int refuse(const char **reason_ret, const char *reason)
{
	*reason_ret = reason;
	return -EINVAL;
}

static int check(const char *rest, const char **reason_ret)
{
	const size_t host_size = strcspn(rest, "/");
	const char *at = memchr(rest, '@', host_size);
	const size_t user_size = at ? (size_t)(at - rest) : 0;

	for (const char *c = rest; *c; c++) {
		if (*c <= ' ' || *c > '~' || strchr("\"<>\\^`{|}?#", *c))
			return refuse(reason_ret, "has a character that no URL of a server has");
	}
	if (at && memchr(rest, ':', user_size))
		return refuse(reason_ret, "has a password, which others see in the list of "
					  "processes: put it in a file, for --token-file");
	if (at && !user_size)
		return refuse(reason_ret, "has an empty user");
	if (host_size <= user_size + (at != NULL) || rest[user_size + (at != NULL)] == ':')
		return refuse(reason_ret, "has no host");
	return 0;
}

static bool has_port(const char *host, size_t size)
{
	const char *bracket = memchr(host, ']', size); /* of an IPv6 address */
	const char *end = bracket ? bracket : host;

	return memchr(end, ':', size - (size_t)(end - host));
}

/* The URL of its server, and the database. @host: and the path. */
static int fill_database(size_t scheme, const char *host, struct push_target *target)
{
	const size_t host_size = strcspn(host, "/");
	size_t size = strlen(host);

	while (size > host_size && host[size - 1] == '/')
		size--;
	size_t begin = size;
	while (begin > host_size && host[begin - 1] != '/')
		begin--;
	const char *port = has_port(host, host_size) ? "" : schemes[scheme].endpoint;
	target->database = begin < size ? strndup(host + begin, size - begin) : strdup("default");
	if (!target->database)
		return -ENOMEM;
	target->url = sentence("%s%.*s%s%.*s%s?database=%s", schemes[scheme].plain, (int)host_size,
			       host, port, (int)(begin - host_size), host + host_size,
			       begin > host_size ? "" : "/", target->database);
	return target->url ? 0 : -ENOMEM;
}

static int fill(size_t scheme, const char *rest, struct push_target *target,
		const char **reason_ret)
{
	const char *endpoint = schemes[scheme].endpoint;
	const char *at = memchr(rest, '@', strcspn(rest, "/"));
	const char *host = at ? at + 1 : rest;
	size_t size = strlen(host);
	int err = 0;

	while (size && host[size - 1] == '/')
		size--;
	if (size > strlen(endpoint) &&
	    memcmp(host + size - strlen(endpoint), endpoint, strlen(endpoint)) == 0)
		size -= strlen(endpoint);
	*target = (struct push_target){
		.protocol = schemes[scheme].protocol,
		.user = at ? strndup(rest, (size_t)(at - rest)) : NULL,
	};
	if (target->protocol == PUSH_CLICKHOUSE)
		err = fill_database(scheme, host, target);
	else
		target->url =
			sentence("%s%.*s%s", schemes[scheme].plain, (int)size, host, endpoint);
	if (err || !target->url || (at && !target->user))
		err = -ENOMEM;
	else if (target->database && !schema_is_name(target->database))
		err = refuse(reason_ret, "has no name of a database at its end: letters, digits, "
					 "underscores, hyphens");
	if (err)
		push_target_deinit(target);
	return err;
}

int push_target_parse(const char *text, struct push_target *target_ret, const char **reason_ret)
{
	for (size_t i = 0; i < N_SCHEMES; i++) {
		const size_t size = strlen(schemes[i].scheme);

		if (strncmp(text, schemes[i].scheme, size) != 0)
			continue;
		int err = check(text + size, reason_ret);
		return err ? err : fill(i, text + size, target_ret, reason_ret);
	}
	return refuse(reason_ret, "does not begin with clickhouse+https://, "
				  "pyroscope+https://, otlp+https://, or one of them with "
				  "http");
}

void push_target_deinit(struct push_target *target)
{
	free(target->url);
	free(target->user);
	free(target->database);
}
