#include "collector/record/control/dump_conditions.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/numbers.h"

#define LOOK_NS       NSEC_PER_SEC
#define LEVEL_MAX     1e9
#define LEVEL_DIGITS  "0123456789."
#define MAX_TIME_NS   ((uint64_t)1e18)
#define OFF_CPU_EVENT "off-cpu"

static const struct {
	const char *name;
	enum dump_condition_kind kind;
	const char *file;
} kinds[] = {
	{ OFF_CPU_EVENT, DUMP_ON_OFF_CPU, NULL },
	{ "loadavg", DUMP_ON_LOADAVG, "loadavg" },
	{ "cpu-pressure", DUMP_ON_PRESSURE, "pressure/cpu" },
	{ "memory-pressure", DUMP_ON_PRESSURE, "pressure/memory" },
	{ "io-pressure", DUMP_ON_PRESSURE, "pressure/io" },
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

void dump_conditions_deinit(struct dump_conditions *conditions)
{
	thread_waits_deinit(&conditions->waits);
	free(conditions->conditions);
	free(conditions->of_events);
	*conditions = (struct dump_conditions){ 0 };
}

/* "loadavg > 8" -> "loadavg" and "8"; the bound is NULL if there is none. Blanks are left out. */
static void split(char *text, const char **name_ret, const char **bound_ret)
{
	char *bound = strchr(text, '>');

	if (bound)
		*bound++ = '\0';
	text += strspn(text, " \t");
	for (size_t n = strlen(text); n && strchr(" \t", text[n - 1]);)
		text[--n] = '\0';
	*name_ret = text;
	if (bound)
		bound += strspn(bound, " \t");
	*bound_ret = bound;
}

static bool parse_level(const char *text, double *level_ret)
{
	char *end;

	/* strtod() knows more numbers: signs, powers, nan. */
	*level_ret = strtod(text, &end);
	return end > text && strspn(text, LEVEL_DIGITS) == (size_t)(end - text) && !*end &&
	       *level_ret <= LEVEL_MAX;
}

static enum dump_condition_error parse_bound(struct dump_condition *condition, const char *text)
{
	bool is_good = false;

	if (!text)
		return DUMP_CONDITION_NO_BOUND;
	switch (condition->kind) {
	case DUMP_ON_EVENT:
		break;
	case DUMP_ON_OFF_CPU:
		is_good = !numbers_parse_time(text, NSEC_PER_SEC, MAX_TIME_NS, &condition->time_ns);
		break;
	case DUMP_ON_LOADAVG:
		is_good = parse_level(text, &condition->level);
		break;
	case DUMP_ON_PRESSURE:
		is_good = !numbers_parse_percent(text, &condition->level);
		break;
	}
	return is_good ? DUMP_CONDITION_OK : DUMP_CONDITION_BAD_BOUND;
}

/* The events of several kinds of cores have one name. */
static enum dump_condition_error find_events(struct dump_conditions *conditions,
					     struct dump_condition *condition, const char *name,
					     const struct event *events, size_t n_events)
{
	enum dump_condition_error error = DUMP_CONDITION_NO_EVENT;

	for (size_t i = 0; i < n_events; i++) {
		if (strcmp(events[i].name, name) != 0)
			continue;
		conditions->of_events[i] = condition;
		conditions->has_events = true;
		error = DUMP_CONDITION_OK;
	}
	return error;
}

static bool has_off_cpu(const struct event *events, size_t n_events)
{
	for (size_t i = 0; i < n_events; i++) {
		if (events[i].weight.kind == WEIGHT_OFF_CPU)
			return true;
	}
	return false;
}

static enum dump_condition_error parse_one(struct dump_conditions *conditions,
					   struct dump_condition *condition, char *text,
					   const struct event *events, size_t n_events)
{
	const char *name, *bound;
	size_t i = 0;

	split(text, &name, &bound);
	while (i < N_KINDS && strcmp(kinds[i].name, name) != 0)
		i++;
	if (i == N_KINDS)
		return bound ? DUMP_CONDITION_BAD_BOUND
			     : find_events(conditions, condition, name, events, n_events);
	condition->kind = kinds[i].kind;
	condition->file = kinds[i].file;
	enum dump_condition_error error = parse_bound(condition, bound);
	if (error || condition->kind != DUMP_ON_OFF_CPU)
		return error;
	if (!has_off_cpu(events, n_events))
		return DUMP_CONDITION_NO_OFF_CPU;
	conditions->has_times = true;
	return DUMP_CONDITION_OK;
}

int dump_conditions_parse(struct dump_conditions *conditions,
			  const struct dump_condition_list *list, const struct event *events,
			  size_t n_events, const char *proc, const char **wrong_ret,
			  enum dump_condition_error *error_ret)
{
	conditions->proc = proc;
	conditions->own_pid = getpid();
	conditions->conditions = calloc(list->n + 1, sizeof(*conditions->conditions));
	conditions->of_events = calloc(n_events + 1, sizeof(struct dump_condition *));
	if (!conditions->conditions || !conditions->of_events)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i++) {
		struct dump_condition *condition = &conditions->conditions[conditions->n++];
		_cleanup_free_ char *text = strdup(list->texts[i]);

		if (!text)
			return -ENOMEM;
		condition->text = *wrong_ret = list->texts[i];
		*error_ret = parse_one(conditions, condition, text, events, n_events);
		if (*error_ret)
			return -EINVAL;
	}
	return 0;
}

/* The first line: "some avg10=0.00 avg60=0.00 avg300=0.00 total=123", in microseconds. */
static bool find_total(const char *text, uint64_t *total_ret)
{
	const char *total = strstr(text, "total=");

	if (!total)
		return false;
	errno = 0;
	*total_ret = strtoull(total + strlen("total="), NULL, 10);
	return !errno;
}

/* What the file of a level says: it is short. 0 or -errno. */
static int read_file(const struct dump_conditions *conditions,
		     const struct dump_condition *condition, char text_ret[static 256])
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", conditions->proc, condition->file);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text_ret, 255);
	if (n < 0)
		return -errno;
	text_ret[n] = '\0';
	return 0;
}

int dump_conditions_check_levels(const struct dump_conditions *conditions,
				 struct recording_notes *notes)
{
	char text[256];

	for (size_t i = 0; i < conditions->n; i++) {
		const struct dump_condition *condition = &conditions->conditions[i];
		int err = condition->file ? read_file(conditions, condition, text) : 0;

		if (err)
			return recording_notes_explain(
				notes, err,
				"--when '%s': cannot read %s/%s: %s; pressure needs a kernel with "
				"PSI (CONFIG_PSI, and psi=1 where it is off by default).",
				condition->text, conditions->proc, condition->file, strerror(-err));
	}
	return 0;
}

void dump_conditions_see_thread(struct dump_conditions *conditions, const struct record *record)
{
	uint64_t time_ns = 0;

	if (!conditions->has_times)
		return;
	if (record->type == PERF_RECORD_EXIT)
		thread_waits_end(&conditions->waits, record->task.tid);
	else if (!record->has_tid || !record->has_time || record->pid == conditions->own_pid)
		return;
	else if (record->context_switch.is_out)
		time_ns = thread_waits_out(&conditions->waits, record->tid, record->time_ns);
	else
		time_ns = thread_waits_in(&conditions->waits, record->tid, record->time_ns);
	for (size_t i = 0; i < conditions->n && time_ns; i++) {
		struct dump_condition *condition = &conditions->conditions[i];

		if (condition->kind != DUMP_ON_OFF_CPU || time_ns <= condition->time_ns)
			continue;
		condition->n_held++;
		condition->holds = true;
	}
}

static double loadavg(const char *text)
{
	return strtod(text, NULL);
}

/* Percent of the time since the last look; 0 at the first. */
static double pressure(struct dump_condition *condition, const char *text, uint64_t now_ns)
{
	const uint64_t before_us = condition->stall_us, before_ns = condition->stall_ns;
	uint64_t total_us;

	if (!find_total(text, &total_us))
		return 0;
	condition->stall_us = total_us;
	condition->stall_ns = now_ns;
	if (!before_ns || now_ns <= before_ns || total_us < before_us)
		return 0;
	return 100. * (double)(total_us - before_us) * 1000. / (double)(now_ns - before_ns);
}

static void look_at(const struct dump_conditions *conditions, struct dump_condition *condition,
		    uint64_t now_ns)
{
	char text[256];

	if (read_file(conditions, condition, text))
		return;
	const bool was_above = condition->is_above;
	const double level = condition->kind == DUMP_ON_LOADAVG ? loadavg(text)
								: pressure(condition, text, now_ns);
	condition->is_above = level > condition->level;
	if (condition->is_above && !was_above) {
		condition->n_held++;
		condition->holds = true;
	}
	if (!condition->is_above)
		condition->holds = false;
}

void dump_conditions_look(struct dump_conditions *conditions, uint64_t now_ns)
{
	if (now_ns < conditions->look_ns)
		return;
	conditions->look_ns = now_ns + LOOK_NS;
	for (size_t i = 0; i < conditions->n; i++) {
		if (conditions->conditions[i].file)
			look_at(conditions, &conditions->conditions[i], now_ns);
	}
}

bool dump_conditions_take(struct dump_conditions *conditions, uint64_t now_ns, uint64_t kept_ns)
{
	const bool is_quiet = now_ns < conditions->quiet_ns;
	bool holds = false;

	for (size_t i = 0; i < conditions->n; i++) {
		struct dump_condition *condition = &conditions->conditions[i];

		if (condition->holds && !is_quiet) {
			condition->n_written++;
			holds = true;
		}
		/* What has happened is over; a level may still be above its bound later. */
		if (!is_quiet || !condition->file)
			condition->holds = false;
	}
	if (holds)
		conditions->quiet_ns = now_ns + kept_ns;
	return holds;
}

void dump_conditions_describe(const struct dump_conditions *conditions,
			      struct recording_notes *notes)
{
	for (size_t i = 0; i < conditions->n; i++) {
		const struct dump_condition *condition = &conditions->conditions[i];

		if (condition->n_held)
			recording_notes_add(notes, false,
					    "--when '%s': true %" PRIu64 " time%s; for it, the "
					    "last part was written %" PRIu64 " time%s.",
					    condition->text, condition->n_held,
					    condition->n_held == 1 ? "" : "s", condition->n_written,
					    condition->n_written == 1 ? "" : "s");
		else
			recording_notes_add(notes, false, "--when '%s': was never true.",
					    condition->text);
	}
}
