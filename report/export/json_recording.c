#include "report/export/json_recording.h"

#include <inttypes.h>
#include <time.h>

#include "cct/base/clock.h"
#include "cct/text/json_string.h"

/* The members of an object, with a comma before each but the first. */
struct members {
	FILE *out;
	size_t n;
};

static void write_key(struct members *members, const char *key)
{
	fprintf(members->out, "%s\"%s\":", members->n++ ? "," : "", key);
}

static void write_text(struct members *members, const char *key, const char *value)
{
	if (!value)
		return;
	write_key(members, key);
	json_write_string(members->out, value);
}

static void write_number(struct members *members, const char *key, uint64_t value)
{
	write_key(members, key);
	fprintf(members->out, "%" PRIu64, value);
}

/* As ISO 8601 writes it, in UTC. 64 bits of nanoseconds end in the year 2554. */
static void write_date(struct members *members, const char *key, uint64_t unix_ns)
{
	time_t seconds = (time_t)(unix_ns / NSEC_PER_SEC);
	struct tm date;
	char text[32];

	if (!gmtime_r(&seconds, &date) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &date))
		return;
	write_key(members, key);
	fprintf(members->out, "\"%s.%09" PRIu64 "Z\"", text, unix_ns % NSEC_PER_SEC);
}

static void write_machine(FILE *out, const struct profile_info *info)
{
	struct members members = { .out = out };

	fputs("\"machine\":{", out);
	write_text(&members, "hostname", info->hostname);
	write_text(&members, "kernel", info->os_release);
	write_text(&members, "arch", info->arch);
	write_text(&members, "cpu", info->cpu);
	if (info->n_cpus)
		write_number(&members, "cpus", info->n_cpus);
	fputs("},\n", out);
}

static void write_window(struct members *members, const struct profile_info *info)
{
	const struct time_span times = { info->start_ns, info->end_ns };
	const struct time_span part = time_window_span(&info->window, &times);

	write_number(members, "from_ns", part.start_ns);
	write_number(members, "to_ns", part.end_ns);
}

static void write_times(FILE *out, const struct profile_info *info)
{
	struct members members = { .out = out };

	fputs("\"times\":{", out);
	if (info->start_ns && info->has_date)
		write_date(&members, "start", info->start_ns + info->unix_offset_ns);
	if (info->start_ns) {
		write_number(&members, "start_ns", info->start_ns);
		write_number(&members, "duration_ns", info->end_ns - info->start_ns);
	}
	if (info->has_window)
		write_window(&members, info);
	fputs("},\n", out);
}

static void write_line(FILE *out, const char *key, const char *value)
{
	struct members members = { .out = out };

	write_text(&members, key, value);
	if (members.n)
		fputs(",\n", out);
}

static void write_stack_copy(FILE *out, const struct profile_info *info)
{
	if (info->stack_copy)
		fprintf(out, "\"stack_copy_bytes\":%" PRIu32 ",\n", info->stack_copy);
}

static void write_span(FILE *out, const struct time_span *span)
{
	struct members members = { .out = out };

	putc('{', out);
	write_date(&members, "from", span->start_ns);
	write_date(&members, "to", span->end_ns);
	putc('}', out);
}

static void write_watched(FILE *out, const struct watched_time *watched)
{
	struct time_span gap;

	if (!watched->n && !watched->asked.end_ns)
		return;
	fprintf(out,
		"\"watched\":{\"own_cpu_ns\":%" PRIu64 ",\"own_memory_bytes\":%" PRIu64
		",\"watched_ns\":%" PRIu64,
		watched->own_cpu_ns, watched->own_memory, watched_time_total_ns(watched, NULL));
	if (watched->slow_ns)
		fprintf(out, ",\"slow_ns\":%" PRIu64, watched->slow_ns);
	fputs(",\n \"times\":[", out);
	for (size_t i = 0; i < watched->n; i++) {
		if (i)
			putc(',', out);
		write_span(out, &watched->spans[i]);
	}
	fputs("],\n \"missing\":[", out);
	for (size_t i = 0; watched_time_gap(watched, i, &gap); i++) {
		if (i)
			putc(',', out);
		write_span(out, &gap);
	}
	putc(']', out);
	if (watched->asked.end_ns) {
		fputs(",\n \"asked\":", out);
		write_span(out, &watched->asked);
	}
	fputs("},\n", out);
}

void json_write_recording(FILE *out, const struct profile_info *info)
{
	fprintf(out, "\"schema\":%d,\n", REPORT_SCHEMA);
	write_line(out, "dendro", DENDRO_VERSION);
	write_line(out, "recorder", info->tool_version);
	write_line(out, "command", info->command_line);
	write_machine(out, info);
	write_times(out, info);
	write_stack_copy(out, info);
	write_watched(out, &info->watched);
}
