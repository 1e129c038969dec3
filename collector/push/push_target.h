/*
 * Where profiles are pushed to: pyroscope+https://[USER@]HOST[:PORT][/PATH], pyroscope+http://,
 * otlp+https:// or otlp+http://. Or clickhouse+https://[USER@]HOST[:PORT][/PATH]/DATABASE, or with
 * http, whose ports are 8443 and 8123 where none is named.
 */
#ifndef COLLECTOR_PUSH_PUSH_TARGET_H
#define COLLECTOR_PUSH_PUSH_TARGET_H

enum push_protocol { PUSH_PYROSCOPE, PUSH_OTLP, PUSH_CLICKHOUSE };

struct push_target {
	enum push_protocol protocol;
	char *url;      /* of the requests, without the user; owned */
	char *user;     /* NULL: none; owned */
	char *database; /* NULL: the server is not a database; owned */
};

/* 0; -EINVAL with *@reason_ret, what is wrong, which is static; or -ENOMEM. */
int push_target_parse(const char *text, struct push_target *target_ret, const char **reason_ret);
void push_target_deinit(struct push_target *target);

#endif
