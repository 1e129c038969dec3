#include "collector/record/recording_start.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/text/maps_line.h"
#include "collector/record/live/cgroups.h"
#include "collector/record/recording_file.h"
#include "collector/record/start/names_cache.h"
#include "perf/events/event_text.h"
#include "perf/kernel/limits.h"

static int explain_failure(const struct recording_start *start, int err)
{
	_cleanup_free_ char *failure = recording_file_failure(start->options->output, err);

	return recording_notes_explain(start->notes, err, "%s.",
				       failure ? failure : "out of memory");
}

/* Grows when the kernel's code changes, and when that may have been missed. */
static uint64_t n_changes(const struct recording_start *start)
{
	return start->drain->n_code_changes + start->drain->n_lost_sideband +
	       start->drain->n_corrupt_rings;
}

int recording_start_prepare(struct recording_start *start)
{
	static const struct names_key_paths paths = { "/proc/kallsyms", "/proc", "/sys" };

	start->kernel = (struct kernel_snapshot_options){
		.paths = paths,
		.cache = geteuid() == 0 ? NAMES_CACHE_FOLDER : NULL,
	};
	if (n_changes(start) != start->n_code_changes)
		kernel_code_text_deinit(&start->code);
	start->n_code_changes = n_changes(start);
	int err = kernel_snapshot_start(&start->kernel, &start->code, &start->snapshot);

	if (err)
		return explain_failure(start, err);
	vdso_images_read(&start->vdsos);
	return 0;
}

static void end_prepared(struct recording_start *start)
{
	kernel_snapshot_destroy(steal_ptr(start->snapshot));
	vdso_images_deinit(&start->vdsos);
}

void recording_start_deinit(struct recording_start *start)
{
	end_prepared(start);
	kernel_code_text_deinit(&start->code);
}

/* All changes since then are in the rings of all CPUs, which were open: not so at the first file,
 * nor where some tasks are recorded. */
static bool sees_changes(const struct recording_start *start)
{
	return start->synthesize.is_again && start->options->is_system_wide &&
	       start->synthesize.attr->ksymbol;
}

/* The rings are emptied meanwhile, because thousands of processes take a while; but not when
 * there may be samples in them, of processes that are not yet described. */
static int synthesize_processes(const struct recording_start *start)
{
	const bool empties_rings = !start->synthesize.is_again && !start->options->samples_first;
	struct synthesizer *synthesizer;

	if (!start->synthesize.is_again && !start->options->is_system_wide &&
	    !recorder_options_are_attached(start->options))
		return start->command_pid
			       ? synthesize_command(&start->synthesize, start->command_pid,
						    start->options->command[0])
			       : 0;
	int more = synthesizer_create(&start->synthesize, &synthesizer);
	if (more)
		return recording_notes_explain(start->notes, more, "cannot read /proc: %s.",
					       strerror(-more));
	do {
		more = synthesizer_step(synthesizer, 0);
		if (more >= 0) {
			int err = recording_observers_write_waiting(start->drain->observers,
								    SIZE_MAX);
			if (!err && empties_rings)
				err = drain_round(start->drain);
			more = err < 0 ? err : more;
		}
	} while (more > 0);
	synthesizer_destroy(synthesizer);
	return more;
}

/* Describes what the samples count, where the attrs do not contain it. */
static int attach_events(const struct recording_start *start)
{
	const struct recorder_options *options = start->options;
	int err = 0;

	for (size_t i = 0; i < options->n_events && !err; i++) {
		_cleanup_free_ char *text = event_text_write(&options->events[i]);
		char key[24];

		if (!text)
			return -ENOMEM;
		snprintf(key, sizeof(key), "%zu", i);
		if (*text)
			err = data_writer_attach(start->drain->writer, ATTACHMENT_EVENT, key, text,
						 strlen(text));
	}
	return err;
}

static int attach_vdso(const struct recording_start *start, const struct vdso_image *image)
{
	return image->size ? data_writer_attach(start->drain->writer, ATTACHMENT_VDSO, image->name,
						image->bytes, image->size)
			   : 0;
}

/* Readers need the entry code before the first sample, but the names follow later. */
static int attach_entry(const struct recording_start *start,
			const struct kernel_snapshot_result *kernel)
{
	char key[64];

	snprintf(key, sizeof(key), "entry %" PRIx64 " %" PRIx64, kernel->entry_start,
		 kernel->entry_end);
	return data_writer_attach(start->drain->writer, ATTACHMENT_KALLSYMS, key, "", 0);
}

static void note_hidden_kernel(struct recording_notes *notes)
{
	struct perf_limits limits;

	limits_read(&limits);
	if (limits.kptr_restrict >= 2)
		recording_notes_add(notes, false,
				    "kernel functions will have no names: kernel.kptr_restrict is "
				    "%d, which hides the kernel's addresses from everybody. "
				    "'sysctl kernel.kptr_restrict=1' shows them to root.",
				    limits.kptr_restrict);
	else
		recording_notes_add(
			notes, false,
			"kernel functions will have no names: the kernel hides its addresses. Run "
			"as root or with CAP_SYSLOG, or set kernel.kptr_restrict=0 and "
			"kernel.perf_event_paranoid=1 by sysctl (they are %d and %d).",
			limits.kptr_restrict, limits.paranoid);
}

static int attach_kernel(const struct recording_start *start)
{
	const struct kernel_snapshot_result *kernel = kernel_snapshot_wait(start->snapshot);

	if (kernel->error) {
		recording_notes_add(start->notes, false, "the kernel's symbols cannot be read: %s.",
				    strerror(-kernel->error));
		return 0;
	}
	if (kernel->is_hidden && start->drain->evlist->user_only)
		return 0;
	if (kernel->is_hidden) {
		note_hidden_kernel(start->notes);
		return data_writer_attach(start->drain->writer, ATTACHMENT_KALLSYMS, "",
					  kernel->compressed, kernel->compressed_size);
	}
	int err = data_writer_attach(start->drain->writer, ATTACHMENT_KALLSYMS, "",
				     kernel->compressed, kernel->compressed_size);
	if (!err && kernel->entry_start)
		err = attach_entry(start, kernel);
	if (!err)
		err = synthesize_kernel(&start->synthesize, kernel->text_start, kernel->text_end,
					kernel->text_symbol);
	for (size_t i = 0; i < kernel->code.n && !err; i++)
		err = synthesize_kernel_code(&start->synthesize, &kernel->code.codes[i]);
	return err;
}

static int put_cgroup(void *start, uint64_t id, const char *path)
{
	return synthesize_cgroup(&((const struct recording_start *)start)->synthesize, id, path);
}

/* Those that are made from now on, the kernel reports. */
static int synthesize_cgroups(struct recording_start *start)
{
	struct cgroup_hierarchies hierarchies;

	if (!(start->synthesize.attr->sample_type & PERF_SAMPLE_CGROUP) ||
	    cgroup_hierarchies_read("/proc/self/mounts", &hierarchies))
		return 0;
	int err = cgroup_visit_all(&hierarchies, put_cgroup, start);
	cgroup_hierarchies_deinit(&hierarchies);
	return err;
}

int recording_start_write(struct recording_start *start)
{
	int err = attach_events(start);
	if (!err)
		err = attach_vdso(start, &start->vdsos.own);
	if (!err)
		err = attach_vdso(start, &start->vdsos.low);
	if (!err)
		err = synthesize_processes(start);
	if (!err)
		err = synthesize_cgroups(start);
	if (!err)
		err = attach_kernel(start);
	if (!err && sees_changes(start))
		start->code = kernel_snapshot_take_code(start->snapshot);
	end_prepared(start);
	return err && !start->notes->error ? explain_failure(start, err) : err;
}
