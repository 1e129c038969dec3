#include "collector/command-line/filter_findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cct/base/cleanup.h"
#include "cct/base/printable.h"
#include "cct/store/profile_file.h"
#include "cct/text/name_pattern.h"
#include "cct/text/near_names.h"
#include "cct/text/string_ids.h"
#include "collector/command-line/messages.h"
#include "collector/replay/processes.h"
#include "collector/session/sample_filter.h"

enum { N_FILTERS = 6 };
#define PHASES_LISTED 50

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
		{ "--event",
		  { .events = filter->events, .n_events = filter->n_events },
		  filter->n_events,
		  false },
		{ "--phase",
		  { .phases = filter->phases, .n_phases = filter->n_phases },
		  filter->n_phases,
		  false },
	};

	memcpy(parts, all, sizeof(all));
}

static void look_at_samples(struct dendro *dendro, struct part parts[N_FILTERS],
			    struct near_names *near)
{
	const struct sample *sample;

	while (dendro_next(dendro, &sample) > 0) {
		for (int i = 0; i < N_FILTERS; i++)
			parts[i].passes |= sample_filter_passes(
				&parts[i].filter, dendro_recording(dendro), NULL, sample);
		if (near->wanted) {
			near_names_offer(near, sample->thread->name);
			near_names_offer(near, sample->thread->process->name);
		}
	}
}

static void look_at_rows(const struct profile *profile, struct part parts[N_FILTERS],
			 struct near_names *near)
{
	const struct string_ids *names = &profile->rows->names;

	for (int i = 0; i < N_FILTERS; i++)
		parts[i].passes = sample_filter_passes_any(&parts[i].filter, profile);
	for (uint32_t i = 0; near->wanted && i < names->n_strings; i++)
		near_names_offer(near, names->strings[i]);
}

/* false: it is not a stored profile that has rows. */
static bool look_at_profile(const char *path, struct part parts[N_FILTERS], struct near_names *near)
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
		look_at_rows(profile, parts, near);
	profile_destroy(profile);
	fclose(file);
	return has_rows;
}

/* false: the recording can't be read once more. */
static bool look_again(const char *path, struct part parts[N_FILTERS], struct near_names *near)
{
	const struct dendro_source source = { .path = path };
	const struct dendro_options options = { .no_paths = true, .n_threads = 1 };
	_cleanup_free_ char *error = NULL;
	struct dendro *dendro;
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	if (look_at_profile(path, parts, near))
		return true;
	if (dendro_open(&source, &options, &dendro, &error))
		return false;
	look_at_samples(dendro, parts, near);
	dendro_close(dendro);
	return true;
}

static void print_comm(const char *command, const struct near_names *near)
{
	_cleanup_free_ char *question = near_names_question(near);

	message_note(command, "no sample is of a command '%s'%s", near->wanted,
		     question && *question ? question : ".");
}

void filter_findings_print(const char *command, const char *path,
			   const struct dendro_filter *filter)
{
	struct part parts[N_FILTERS];
	struct near_names near = { .wanted = NULL };

	split(filter, parts);
	if (filter->n_comms)
		near_names_init(&near, filter->comms[0], strlen(filter->comms[0]));
	bool is_known = look_again(path, parts, &near);
	for (int i = 0; i < N_FILTERS && is_known; i++) {
		if (!parts[i].is_given || parts[i].passes)
			continue;
		if (filter->n_comms == 1 && parts[i].filter.n_comms)
			print_comm(command, &near);
		else
			message_note(command, "no sample passes %s.", parts[i].option);
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

/* Each name once. */
static void list_phases(const struct phases *phases)
{
	struct string_ids names = { .n_strings = 0 };
	uint32_t id;
	bool is_new = true;

	for (uint32_t i = 0; i < phases->n && names.n_strings <= PHASES_LISTED; i++)
		string_ids_add(&names, phases->phases[i].name, &id, &is_new);
	for (uint32_t i = 0; i < names.n_strings && i < PHASES_LISTED; i++) {
		fputs("  ", stderr);
		printable_put(stderr, names.strings[i]);
		putc('\n', stderr);
	}
	if (names.n_strings > PHASES_LISTED)
		fputs("  ...\n", stderr);
	string_ids_deinit(&names);
}

static int complain_of_phase(const char *command, const struct phases *phases, const char *pattern)
{
	if (!phases->n)
		return message_error(command,
				     "the recording has no phases: dendro record --phase-fifo, or "
				     "SIGUSR1 to it, marks them.");
	message_error(command, "the recording has no phase '%s'. Its phases are:", pattern);
	list_phases(phases);
	return 1;
}

int filter_findings_check_phases(const char *command, const struct profile *profile,
				 const struct dendro_filter *filter)
{
	for (size_t i = 0; i < filter->n_phases; i++) {
		if (!has_phase(&profile->phases, filter->phases[i]))
			return complain_of_phase(command, &profile->phases, filter->phases[i]);
	}
	return 0;
}
