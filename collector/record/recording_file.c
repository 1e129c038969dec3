#include "collector/record/recording_file.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "collector/record/start/host_features.h"
#include "collector/record/start/output_file.h"
#include "perf/rings/ring_size.h"

/* Each may need 24 MiB: four blocks, and what zstd keeps. */
#define COMPRESSOR_THREADS_MAX 16
#define QUEUE_RINGS            4
#define QUEUE_MEMORY_PART      16
#define QUEUE_MAX              ((size_t)2 << 30)

/* What is kept in memory shall not be in vain. */
static int check_folder(const char *path, struct recording_notes *notes)
{
	_cleanup_free_ char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	const char *folder = dirname(copy);
	return access(folder, W_OK) == 0
		       ? 0
		       : recording_notes_explain(notes, -errno, "cannot write into '%s': %s.",
						 folder, strerror(errno));
}

static int open_memory(struct recording_file *file, const char *path, struct recording_notes *notes)
{
	int err = check_folder(path, notes);

	file->is_in_memory = true;
	if (err)
		return err;
	file->fd = recent_parts_open();
	return file->fd < 0 ? recording_notes_explain(notes, file->fd,
						      "cannot make a file in memory: %s.",
						      strerror(-file->fd))
			    : 0;
}

static int open_output(struct recording_file *file, const char *path, struct recording_notes *notes)
{
	if (!path)
		return 0;
	file->fd = output_file_open(path, &file->is_pipe);
	if (file->fd == -ENOTTY)
		return recording_notes_explain(
			notes, -ENOTTY, "standard output is a terminal: use -o FILE or a pipe.");
	if (file->fd < 0)
		return recording_notes_explain(
			notes, file->fd, "cannot write '%s': %s. Choose another file with -o.",
			path, strerror(-file->fd));
	return 0;
}

/* The limit of address space, if there is one; 0: none. */
static uint64_t memory_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur
										    : 0;
}

char *recording_file_failure(const char *path, int err)
{
	char size[SIZE_TEXT_MAX];

	switch (err) {
	case -ENOMEM:
		return memory_limit() ? sentence("out of memory: the limit of address space "
						 "(ulimit -v) is %s",
						 recording_notes_size(memory_limit(), size))
				      : sentence("out of memory");
	case -EAGAIN:
		return sentence("cannot start a thread: there is no memory for its stack (ulimit "
				"-v, ulimit -s), or there are too many threads (ulimit -u)");
	default:
		return sentence("cannot write '%s': %s", path ? path : "the profile",
				strerror(-err));
	}
}

static int explain_failure(struct recording_notes *notes, const char *path, int err)
{
	_cleanup_free_ char *failure = recording_file_failure(path, err);

	return recording_notes_explain(notes, err, "%s.", failure ? failure : "out of memory");
}

/* The process that builds the profile, if one does, gets the file. */
static int hand_over(struct recording_file *file, const struct recorder_options *options,
		     struct recording_notes *notes)
{
	const struct builder_link *builder = options->builder;
	int err = 0;

	if (!builder)
		return 0;
	file->has_own_builder = builder->supply_fd;
	if (file->has_own_builder)
		err = builder_link_renew(builder->supply_fd, &file->builder);
	else
		file->builder = *builder;
	if (!err && file->fd >= 0)
		err = builder_link_send(file->builder.control_fd, file->fd);
	return err ? recording_notes_explain(notes, err,
					     "the process that builds the profile is gone: %s.",
					     strerror(-err))
		   : 0;
}

/* perf does not decompress what comes through a pipe. */
static int compression_level(const struct recording_file *file,
			     const struct recorder_options *options)
{
	if (options->has_compression_level)
		return options->compression_level;
	return file->is_pipe || file->builder.pid ? 0 : DATA_WRITER_DEFAULT_LEVEL;
}

/*
 * Samples of 5 kHz take some 4 % of each CPU to compress, and a thread gets about half of a CPU
 * that is busy. The thread that empties the rings can do it alone on two CPUs.
 */
static unsigned compressor_threads(void)
{
	const long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (n_cpus <= 2)
		return 0;
	return n_cpus / 2 < COMPRESSOR_THREADS_MAX ? (unsigned)n_cpus / 2 : COMPRESSOR_THREADS_MAX;
}

/*
 * Where a profile is built while its samples come, all program files are read at the start, while
 * samples wait: as many bytes as four times the rings have room for, which is some 0.4 seconds of
 * whole copies, if there is so much memory.
 */
static size_t choose_queue_size(const struct recorder_options *options, const struct evlist *evlist)
{
	size_t most = ring_size_memory_available() / QUEUE_MEMORY_PART, size = 0;

	if (most > QUEUE_MAX)
		most = QUEUE_MAX;
	for (size_t i = 0; options->builder && i < evlist->n_sample_rings; i++)
		size += QUEUE_RINGS * evlist->sample_rings[i].size;
	size = size < most ? size : most;
	return size > DATA_WRITER_QUEUE_SIZE ? size : DATA_WRITER_QUEUE_SIZE;
}

static int create_writer(struct recording_file *file, const struct recorder_options *options,
			 const struct evlist *evlist, const struct vdso_images *vdsos,
			 struct recording_notes *notes)
{
	const struct perf_event_attr *attr = &evlist->events[0].attr;
	struct data_writer_options writer_options = {
		.compression_level = compression_level(file, options),
		.n_threads = compressor_threads(),
		.queue_size = file->queue_size,
		.is_pipe = file->is_pipe || file->builder.pid,
	};
	const int fd = file->builder.pid ? file->builder.stream_fd : file->fd;
	struct host_features features;
	struct data_writer_event *events = calloc(evlist->n_events + 1, sizeof(*events));

	for (size_t i = 0; events && i <= evlist->n_events; i++)
		events[i] = (struct data_writer_event){
			&evlist->events[i].attr, evlist->events[i].name, evlist->events[i].ids,
			evlist->events[i].n_ids - evlist->events[i].n_absent
		};
	int err = host_features_init(&features, options->argv, vdsos,
				     attr->use_clockid ? attr->clockid : -1);
	if (!err)
		err = host_features_add_tracepoints(&features, options->events, evlist->n_events);
	if (!err)
		err = events ? data_writer_create(fd, &writer_options, events, evlist->n_events + 1,
						  features.list, features.n, &file->writer)
			     : -ENOMEM;
	host_features_deinit(&features);
	free(events);
	return err ? explain_failure(notes, options->output, err) : 0;
}

int recording_file_create(struct recording_file *file, const struct recorder_options *options,
			  const struct evlist *evlist, const struct vdso_images *vdsos,
			  struct recording_notes *notes)
{
	int err = options->recent.is_given || options->is_dry_run
			  ? open_memory(file, options->output, notes)
			  : open_output(file, options->output, notes);

	if (!err)
		err = hand_over(file, options, notes);
	file->queue_size = choose_queue_size(options, evlist);
	return err ? err : create_writer(file, options, evlist, vdsos, notes);
}

bool recording_file_is_gone(const struct recording_file *file)
{
	struct stat st;

	return file->fd >= 0 && !file->is_pipe && !file->is_in_memory &&
	       fstat(file->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 0;
}

void recording_file_deinit(struct recording_file *file)
{
	data_writer_destroy(file->writer);
	if (file->builder.pid && file->has_own_builder) {
		close(file->builder.stream_fd);
		close(file->builder.control_fd);
	}
	if (file->fd >= 0)
		close(file->fd);
}

void recording_file_confirm(const struct recording_file *file)
{
	if (file->builder.pid && file->has_own_builder)
		builder_link_confirm(file->builder.control_fd);
}
