#include "collector/files/recording_plan.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/clock.h"
#include "cct/base/printable.h"
#include "collector/record/observing/recording_notes.h"
#include "perf/kernel/limits.h"

static const char *modes_of(const struct perf_event_attr *attr)
{
	if (attr->exclude_kernel)
		return "user mode";
	return attr->exclude_user ? "kernel mode" : "user and kernel mode";
}

static void print_event(FILE *out, const struct evlist *evlist, size_t index)
{
	const struct evlist_event *event = &evlist->events[index];
	const struct perf_event_attr *attr = &event->attr;

	fprintf(out, "%-10s  ", index ? "" : "events");
	printable_put(out, event->name);
	if (event->is_counted)
		fputs(", counted at the samples of its group", out);
	else if (attr->freq)
		fprintf(out, ", %llu times a second and CPU", attr->sample_freq);
	else if (attr->sample_period == 1)
		fputs(", each one", out);
	else
		fprintf(out, ", one in %llu", attr->sample_period);
	fprintf(out, ", %s\n", modes_of(attr));
}

static void print_command(FILE *out, char **command)
{
	for (; *command; command++) {
		putc(' ', out);
		printable_put(out, *command);
	}
}

static void print_targets(FILE *out, const struct recorder_options *options,
			  const struct recorder_plan *plan)
{
	fputs("targets     ", out);
	if (options->cgroup || options->unit) {
		fputs("the cgroup of ", out);
		printable_put(out, options->cgroup ? options->cgroup : options->unit);
	} else if (plan->n_threads) {
		fprintf(out, "%zu thread%s of %zu process%s running already", plan->n_threads,
			plan->n_threads == 1 ? "" : "s", plan->n_processes,
			plan->n_processes == 1 ? "" : "es");
	} else if (plan->is_system_wide) {
		fputs("the whole machine", out);
	} else {
		fputs(options->no_inherit ? "the command:" : "the command and its children:", out);
		print_command(out, options->command);
	}
	fprintf(out, "; %zu CPU%s\n", plan->cpus->n, plan->cpus->n == 1 ? "" : "s");
}

static void print_stacks(FILE *out, const struct recorder_options *options,
			 const struct evlist *evlist)
{
	uint32_t size = 0;

	for (size_t i = 0; i < evlist->n_events; i++)
		if (evlist->events[i].attr.sample_stack_user > size)
			size = evlist->events[i].attr.sample_stack_user;
	fputs("stacks      ", out);
	if (options->has_frame_pointers)
		fputs("walked by the kernel along frame pointers\n", out);
	else if (!size)
		fputs("none of user code is copied\n", out);
	else
		fprintf(out, "at most %u KiB of each copied%s\n", (size + 1023) / 1024,
			options->deep_stacks == DEEP_STACKS_CUT ? ", deeper ones are cut" : "");
}

static void print_rings(FILE *out, const struct evlist *evlist)
{
	char one[SIZE_TEXT_MAX], all[SIZE_TEXT_MAX];
	uint64_t total = 0;

	for (size_t i = 0; i < evlist->n_sample_rings; i++)
		total += evlist->sample_rings[i].size;
	for (size_t i = 0; i < evlist->n_sideband_rings; i++)
		total += evlist->sideband_rings[i].size;
	fprintf(out, "rings       %zu of %s for samples, %s with those for mappings\n",
		evlist->n_sample_rings, recording_notes_size(evlist->ring_size, one),
		recording_notes_size(total, all));
}

static void print_rights(FILE *out, const struct evlist *evlist)
{
	struct perf_limits limits;
	size_t n_counters = 0;

	limits_read(&limits);
	for (size_t i = 0; i <= evlist->n_events; i++)
		n_counters += evlist->events[i].n_ids;
	fprintf(out, "counters    %zu open, of at most %" PRIu64 " files\n", n_counters,
		limits.hard_max_fds);
	fprintf(out,
		"rights      %s, kernel.perf_event_paranoid is %d; at most %" PRIu64 " samples "
		"a second and CPU\n",
		limits.has_cap_perfmon ? "root or CAP_PERFMON" : "those of an ordinary user",
		limits.paranoid, limits.max_sample_rate);
}

static void print_output(FILE *out, const struct record_arguments *arguments)
{
	const struct recorder_options *options = &arguments->options;

	fputs("output      ", out);
	printable_put(out, options->output);
	if (arguments->is_profile)
		fputs(", a profile, which is built meanwhile", out);
	if (options->parts.is_given || options->recent.is_given) {
		fputs(", in parts", out);
	} else if (access(options->output, F_OK) == 0) {
		fputs("; the file that is there is kept as ", out);
		printable_put(out, options->output);
		fputs(".old", out);
	}
	putc('\n', out);
}

static void print_time(FILE *out, const struct recorder_options *options, size_t n_threads)
{
	fputs("ends        ", out);
	if (options->duration_ns)
		fprintf(out, "after %.3g s", (double)options->duration_ns / NSEC_PER_SEC);
	else if (options->command)
		fputs("with the command", out);
	else
		fputs(n_threads ? "at Ctrl-C, or with the last of these threads" : "at Ctrl-C",
		      out);
	if (options->max_size)
		fprintf(out, ", or with a size of %" PRIu64 " MiB", options->max_size >> 20);
	putc('\n', out);
}

void recording_plan_print(FILE *out, const struct record_arguments *arguments,
			  const struct recorder *recorder)
{
	const struct recorder_options *options = &arguments->options;
	const struct recorder_plan plan = recorder_plan(recorder);

	fputs("Nothing was recorded. Without --dry-run it would be:\n\n", out);
	for (size_t i = 0; i < plan.evlist->n_events; i++)
		print_event(out, plan.evlist, i);
	print_targets(out, options, &plan);
	print_time(out, options, plan.n_threads);
	print_stacks(out, options, plan.evlist);
	print_rings(out, plan.evlist);
	print_rights(out, plan.evlist);
	print_output(out, arguments);
}
