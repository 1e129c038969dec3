#include "collector/command-line/filter_findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cct/base/cleanup.h"
#include "cct/store/profile_file.h"
#include "cct/text/near_names.h"
#include "collector/command-line/messages.h"
#include "collector/replay/processes.h"
#include "collector/session/sample_filter.h"

enum { N_FILTERS = 5 };

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
	};

	memcpy(parts, all, sizeof(all));
}

static void look_at_samples(struct dendro *dendro, struct part parts[N_FILTERS],
			    struct near_names *near)
{
	const struct sample *sample;

	while (dendro_next(dendro, &sample) > 0) {
		for (int i = 0; i < N_FILTERS; i++)
			parts[i].passes |= sample_filter_passes(&parts[i].filter, sample);
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
