#include "collector/command-line/filter_findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/printable.h"
#include "cct/base/sentence.h"
#include "cct/store/profile_file.h"
#include "cct/text/name_pattern.h"
#include "cct/text/near_names.h"
#include "cct/text/string_ids.h"
#include "collector/command-line/messages.h"
#include "collector/replay/processes.h"
#include "collector/session/sample_filter.h"

enum { N_FILTERS = 9 };
#define NAMES_LISTED 50

/* The parts of a filter, each alone, and whether a sample passes it. */
struct part {
	const char *option;
	struct dendro_filter filter;
	bool is_given, passes;
};

static void split(const struct dendro_filter *filter, struct part parts[N_FILTERS])
{
	const struct part all[N_FILTERS] = {
		{ "--comm",
		  { .comms = filter->comms, .n_comms = filter->n_comms },
		  filter->n_comms,
		  false },
		{ "--pid",
		  { .pids = filter->pids, .n_pids = filter->n_pids },
		  filter->n_pids,
		  false },
		{ "--tid",
		  { .tids = filter->tids, .n_tids = filter->n_tids },
		  filter->n_tids,
		  false },
		{ "--cpu",
		  { .cpus = filter->cpus, .n_cpus = filter->n_cpus },
		  filter->n_cpus,
		  false },
		{ "--cgroup",
		  { .cgroups = filter->cgroups, .n_cgroups = filter->n_cgroups },
		  filter->n_cgroups,
		  false },
		{ "--event",
		  { .events = filter->events, .n_events = filter->n_events },
		  filter->n_events,
		  false },
		{ "--phase",
		  { .phases = filter->phases, .n_phases = filter->n_phases },
		  filter->n_phases,
		  false },
		{ "--epoch",
		  { .epochs = filter->epochs, .n_epochs = filter->n_epochs },
		  filter->n_epochs,
		  false },
		{ "--time",
		  { .has_time = filter->has_time, .time = filter->time },
		  filter->has_time,
		  false },
	};

	memcpy(parts, all, sizeof(all));
}

/* What is found: whether the parts pass samples, names like the wanted one, and when they were. */
struct findings {
	struct part parts[N_FILTERS];
	struct near_names near;
	struct time_span times;
};

static void look_at_samples(struct dendro *dendro, struct findings *findings)
{
	const struct sample *sample;

	while (dendro_next(dendro, &sample) > 0) {
		for (int i = 0; i < N_FILTERS; i++)
			findings->parts[i].passes |= sample_filter_passes(
				&findings->parts[i].filter, dendro_recording(dendro),
				&findings->times, sample);
		if (findings->near.wanted) {
			near_names_offer(&findings->near, sample->thread->name);
			near_names_offer(&findings->near, sample->thread->process->name);
		}
	}
}

static void look_at_rows(const struct profile *profile, struct findings *findings)
{
	const struct string_ids *names = &profile->rows->names;

	for (int i = 0; i < N_FILTERS; i++)
		findings->parts[i].passes |=
			sample_filter_passes_any(&findings->parts[i].filter, profile);
	for (uint32_t i = 0; findings->near.wanted && i < names->n_strings; i++)
		near_names_offer(&findings->near, names->strings[i]);
	findings->times = (struct time_span){ profile->info.start_ns, profile->info.end_ns };
}

/* false: it is not a stored profile that has rows. */
static bool look_at_profile(const char *path, struct findings *findings)
{
	_cleanup_free_ char *error = NULL;
	FILE *file = fopen(path, "re");
	struct profile *profile = NULL;
	unsigned n_skipped;

	if (!file)
		return false;
	bool has_rows =
		!profile_file_read_with_rows(file, &profile, &n_skipped, &error) && profile->rows;
	if (has_rows)
		look_at_rows(profile, findings);
	profile_destroy(profile);
	fclose(file);
	return has_rows;
}

static bool look_at_recording(const char *path, struct findings *findings)
{
	const struct dendro_source source = { .path = path };
	const struct dendro_options options = { .no_paths = true, .n_threads = 1 };
	_cleanup_free_ char *error = NULL, *error_of_times = NULL;
	struct dendro *dendro;

	if (dendro_read_times(&source, &findings->times, &error_of_times) ||
	    dendro_open(&source, &options, &dendro, &error))
		return false;
	look_at_samples(dendro, findings);
	dendro_close(dendro);
	return true;
}

/* false: the recording can't be read once more. */
static bool look_again(const char *path, struct findings *findings)
{
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	return look_at_profile(path, findings) || look_at_recording(path, findings);
}

static void print_comm(const char *command, const struct near_names *near)
{
	_cleanup_free_ char *question = near_names_question(near);

	message_note(command, "no sample is of a command '%s'%s", near->wanted,
		     question && *question ? question : ".");
}

/* perf's "FROM,TO" are times of the recording's clock. */
static void print_time(const char *command, const struct time_range *range,
		       const struct time_span *times)
{
	if (range->from.base == TIME_CLOCK || range->to.base == TIME_CLOCK) {
		const uint64_t from_us = times->start_ns / NSEC_PER_USEC,
			       to_us = times->end_ns / NSEC_PER_USEC,
			       second_us = NSEC_PER_SEC / NSEC_PER_USEC;

		message_note(command,
			     "no sample passes --time: by its clock, the recording is from "
			     "%" PRIu64 ".%06" PRIu64 " s to %" PRIu64 ".%06" PRIu64 " s.",
			     from_us / second_us, from_us % second_us, to_us / second_us,
			     to_us % second_us);
		return;
	}
	message_note(command, "no sample passes --time: the recording takes %.6f s.",
		     (double)(times->end_ns - times->start_ns) / 1e9);
}

/* Asks all samples of a recording. @findings: by condition. */
static void ask_samples(const char *path, struct file_search *files,
			const struct dendro_filter *filter, struct condition_findings *findings)
{
	const struct dendro_source source = { .path = path };
	const struct dendro_options options = { .no_paths = true, .n_threads = 1, .files = files };
	const struct value_questions questions = { filter->conditions, filter->n_conditions, NULL };
	_cleanup_free_ char *error = NULL;
	enum condition_answer answer;
	const struct sample *sample;
	struct sample_values *values = NULL;
	struct dendro *dendro;

	if (dendro_open(&source, &options, &dendro, &error))
		return;
	while (dendro_next(dendro, &sample) > 0) {
		if (!values)
			values = sample_values_create(&questions, dendro_recording(dendro));
		if (!values || sample_values_ask(values, sample, &answer))
			break;
	}
	for (size_t i = 0; values && i < filter->n_conditions; i++)
		findings[i] = *sample_values_findings(values, i);
	sample_values_destroy(values);
	dendro_close(dendro);
}

/* Why a condition holds for no sample. Whether it is that. */
static bool explain_condition(const char *command, const struct value_condition *condition,
			      const struct condition_findings *findings)
{
	const char *function = condition->subject.function;
	const char *expression = condition->subject.expression.text;

	if (findings->n_held)
		return false;
	if (!findings->n_found)
		message_note(
			command,
			"no stack has a frame of '%s': 'dendro report --view functions' has the "
			"names of functions.",
			function);
	else if (findings->n_without == findings->n_found)
		message_note(command, "'%s' has no debug information, which --where needs.",
			     function);
	else if (findings->n_wrong && !findings->n_known)
		message_note(command,
			     "--where: '%s' has no such variable or member of '%s', or the value "
			     "cannot be compared so: 'dendro values %s %s' shows it.",
			     expression, function, function, expression);
	else if (!findings->n_known)
		message_note(command,
			     "--where: '%s' is not known at any sample: 'dendro values %s %s' says "
			     "why.",
			     expression, function, expression);
	else
		message_note(command,
			     "--where: the condition on '%s' holds for none of the %" PRIu64
			     " samples at which it is known: 'dendro values %s %s' shows its "
			     "values.",
			     expression, findings->n_known, function, expression);
	return true;
}

/* false: each holds for some sample, or it is not known. */
static bool print_condition(const char *command, const char *path, struct file_search *files,
			    const struct dendro_filter *filter)
{
	_cleanup_free_ struct condition_findings *findings =
		calloc(filter->n_conditions + 1, sizeof(*findings));
	bool is_explained = false;
	struct stat st;

	if (!findings || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	ask_samples(path, files, filter, findings);
	for (size_t i = 0; i < filter->n_conditions && !is_explained; i++)
		is_explained = explain_condition(command, filter->conditions[i], &findings[i]);
	return is_explained;
}

void filter_findings_print(const char *command, const char *const *paths, size_t n_paths,
			   const struct file_options *files, const struct dendro_filter *filter)
{
	struct file_search *search = NULL;

	if (n_paths == 1 && filter->n_conditions && !file_options_open(files, command, &search)) {
		const bool is_explained = print_condition(command, paths[0], search, filter);

		file_search_destroy(search);
		if (is_explained)
			return;
	}
	struct findings findings = { .near = { .wanted = NULL } };

	split(filter, findings.parts);
	if (filter->n_comms)
		near_names_init(&findings.near, filter->comms[0], strlen(filter->comms[0]));
	bool is_known = true;
	for (size_t i = 0; i < n_paths && is_known; i++)
		is_known = look_again(paths[i], &findings);
	for (int i = 0; i < N_FILTERS && is_known; i++) {
		const struct part *part = &findings.parts[i];

		if (!part->is_given || part->passes)
			continue;
		if (filter->n_comms == 1 && part->filter.n_comms)
			print_comm(command, &findings.near);
		else if (part->filter.has_time && n_paths == 1)
			print_time(command, &filter->time, &findings.times);
		else
			message_note(command, "no sample passes %s.", part->option);
		return;
	}
	message_note(command, "no sample passes all filters.");
}

static bool has_phase(const struct phases *phases, const char *pattern)
{
	for (uint32_t i = 0; i < phases->n; i++) {
		if (name_pattern_matches(pattern, phases->phases[i].name))
			return true;
	}
	return false;
}

static void list_names(const struct string_ids *names)
{
	for (uint32_t i = 0; i < names->n_strings && i < NAMES_LISTED; i++) {
		fputs("  ", stderr);
		printable_put(stderr, names->strings[i]);
		putc('\n', stderr);
	}
	if (names->n_strings > NAMES_LISTED)
		fputs("  ...\n", stderr);
}

/* Each name once. */
static void list_phases(const struct phases *phases)
{
	struct string_ids names = { .n_strings = 0 };
	uint32_t id;
	bool is_new;

	for (uint32_t i = 0; i < phases->n && names.n_strings <= NAMES_LISTED; i++)
		string_ids_add(&names, phases->phases[i].name, &id, &is_new);
	list_names(&names);
	string_ids_deinit(&names);
}

__attribute__((format(printf, 3, 4))) static int complain(const char *command, const char *file,
							  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	_cleanup_free_ char *message = sentence_v(format, args);
	va_end(args);
	if (!message)
		return message_error_of_memory(command);
	return file ? message_error_of_file(command, file, message)
		    : message_error(command, "%s", message);
}

static int complain_of_phase(const char *command, const char *file, const struct phases *phases,
			     const char *pattern)
{
	if (!phases->n)
		return complain(command, file,
				"the recording has no phases: dendro record --phase-fifo, or "
				"SIGUSR1 to it, marks them.");
	complain(command, file, "the recording has no phase '%s'. Its phases are:", pattern);
	list_phases(phases);
	return 1;
}

int filter_findings_check_phases(const char *command, const char *file,
				 const struct profile *profile, const struct dendro_filter *filter)
{
	for (size_t i = 0; i < filter->n_phases; i++) {
		if (!has_phase(&profile->phases, filter->phases[i]))
			return complain_of_phase(command, file, &profile->phases,
						 filter->phases[i]);
	}
	return 0;
}

static bool has_epoch(const struct epochs *epochs, const char *pattern)
{
	uint32_t first, last;

	if (epoch_pattern_numbers(pattern, &first, &last))
		return last && first <= epochs->n_most;
	for (uint32_t i = 0; i < epochs->later.n_strings; i++) {
		if (file_names_match(epochs->later.strings[i], pattern))
			return true;
	}
	return false;
}

/* Those that epochs began with, each once. */
static void list_files(const struct epochs *epochs)
{
	struct string_ids names = { .n_strings = 0 };
	char name[FILE_NAME_SIZE];
	uint32_t id;
	bool is_new;

	for (uint32_t i = 0; i < epochs->later.n_strings; i++) {
		const char *rest = epochs->later.strings[i];

		while (names.n_strings <= NAMES_LISTED && file_names_next(&rest, name))
			string_ids_add(&names, name, &id, &is_new);
	}
	list_names(&names);
	string_ids_deinit(&names);
}

static int complain_of_epoch(const char *command, const char *file, const struct epochs *epochs,
			     const char *pattern)
{
	uint32_t first, last;

	if (epoch_pattern_numbers(pattern, &first, &last))
		return complain(command, file,
				"no process has an epoch %s: the numbers are 1 to %u, and "
				"dendro report --view epochs shows them.",
				pattern, epochs->n_most);
	if (!epochs->later.n_strings)
		return complain(command, file,
				"no process loaded a file after its code began to run: each "
				"has one epoch, 1.");
	complain(command, file, "no epoch began with a file '%s'. They began with these:", pattern);
	list_files(epochs);
	return 1;
}

int filter_findings_check_epochs(const char *command, const char *file,
				 const struct profile *profile, const struct dendro_filter *filter)
{
	if (filter->n_epochs && !profile->epochs.n && profile->names)
		return complain(command, file,
				"the profile has no epochs of processes: build it again from "
				"its recording.");
	for (size_t i = 0; profile->epochs.n && i < filter->n_epochs; i++) {
		if (!has_epoch(&profile->epochs, filter->epochs[i]))
			return complain_of_epoch(command, file, &profile->epochs,
						 filter->epochs[i]);
	}
	return 0;
}

void filter_findings_note_intervals(const struct profile *profile,
				    const struct dendro_filter *filter, bool *found)
{
	for (size_t i = 0; i < filter->n_phases; i++)
		*found++ |= has_phase(&profile->phases, filter->phases[i]);
	for (size_t i = 0; i < filter->n_epochs; i++)
		*found++ |= has_epoch(&profile->epochs, filter->epochs[i]);
}

int filter_findings_check_noted(const char *command, const struct dendro_filter *filter,
				const bool *found)
{
	for (size_t i = 0; i < filter->n_phases; i++) {
		if (!*found++)
			return message_error(command,
					     "none of the recordings has a phase '%s': dendro "
					     "report --view phases shows those of each.",
					     filter->phases[i]);
	}
	for (size_t i = 0; i < filter->n_epochs; i++) {
		if (!*found++)
			return message_error(command,
					     "none of the recordings has an epoch '%s': dendro "
					     "report --view epochs shows those of each.",
					     filter->epochs[i]);
	}
	return 0;
}
