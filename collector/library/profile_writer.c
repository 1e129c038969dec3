/* Profiles that programs make with libdendro, sample by sample. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/api/dendro.h"
#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/store/profile_file.h"
#include "collector/library/written_names.h"

#define METRICS_MAX 1024

/* A clock of a profile does not begin with 0, which means that a time is not known. */
#define CLOCK_START 1000

/* What is to be known of a path, whose number is that of its last node. */
struct written_path {
	uint32_t task; /* and 1; 0: no path ends here */
	uint8_t end;   /* enum row_end */
};

struct dendro_writer {
	struct profile *profile;
	struct written_names names;
	struct written_path *paths; /* by node */
	size_t n_paths, n_paths_allocated;
	struct frame *frames; /* of the path that is added */
	size_t n_frames, n_frames_allocated;
	uint64_t start_unix_ns; /* 0: not known */
	bool has_times;
	bool is_saved;
};

__attribute__((format(printf, 3, 4))) static int fail(char **error, int err, const char *format,
						      ...)
{
	va_list args;

	va_start(args, format);
	if (error)
		*error = sentence_v(format, args);
	va_end(args);
	return err;
}

static int fail_of_memory(char **error)
{
	return fail(error, -ENOMEM, "out of memory");
}

/* 0, or -EINVAL: nothing can be added any more. */
static int check(const struct dendro_writer *writer, char **error)
{
	if (error)
		*error = NULL;
	return writer->is_saved ? fail(error, -EINVAL, "the profile is saved already") : 0;
}

void dendro_writer_destroy(struct dendro_writer *writer)
{
	if (!writer)
		return;
	written_names_deinit(&writer->names);
	profile_destroy(writer->profile);
	free(writer->paths);
	free(writer->frames);
	free(writer);
}

static int start(struct profile *profile)
{
	profile->cct = cct_create(0);
	profile->rows = calloc(1, sizeof(*profile->rows));
	profile->names = stored_names_create();
	if (!profile->cct || !profile->rows || !profile->names)
		return -ENOMEM;
	return profile_set_string(&profile->info.tool_version, "libdendro " DENDRO_VERSION);
}

int dendro_writer_create(struct dendro_writer **writer_ret, char **error)
{
	struct dendro_writer *writer = calloc(1, sizeof(*writer));

	if (error)
		*error = NULL;
	if (writer)
		writer->profile = profile_create();
	if (!writer || !writer->profile || start(writer->profile)) {
		dendro_writer_destroy(writer);
		return fail_of_memory(error);
	}
	*writer_ret = writer;
	return 0;
}

int dendro_writer_describe(struct dendro_writer *writer, const char *command_line,
			   uint64_t start_unix_ns, char **error)
{
	int err = check(writer, error);

	if (err)
		return err;
	writer->start_unix_ns = start_unix_ns;
	return profile_set_string(&writer->profile->info.command_line, command_line)
		       ? fail_of_memory(error)
		       : 0;
}

int dendro_writer_add_metric(struct dendro_writer *writer, const char *name, const char *unit,
			     int takes_all, uint32_t *metric, char **error)
{
	struct profile *profile = writer->profile;
	int err = check(writer, error);

	if (err)
		return err;
	if (profile->n_metrics == METRICS_MAX)
		return fail(error, -E2BIG, "a profile has %d metrics at most", METRICS_MAX);
	const uint32_t added = profile_add_metric(profile, name, unit);
	if (added == UINT32_MAX || cct_widen(profile->cct, profile->n_metrics))
		return fail_of_memory(error);
	profile->metrics[added].takes_all = takes_all;
	*metric = added;
	return 0;
}

int dendro_writer_add_process(struct dendro_writer *writer, int32_t pid, const char *name,
			      uint32_t *process, char **error)
{
	int err = check(writer, error);

	if (err)
		return err;
	const uint32_t added = profile_add_process(writer->profile, pid, name);
	if (added == UINT32_MAX)
		return fail_of_memory(error);
	*process = added;
	return 0;
}

int dendro_writer_add_thread(struct dendro_writer *writer, uint32_t process, int32_t tid,
			     const char *name, uint32_t *thread, char **error)
{
	int err = check(writer, error);

	if (err)
		return err;
	if (process >= writer->profile->n_processes)
		return fail(error, -EINVAL, "there is no process %u", process);
	const uint32_t added = profile_add_thread(writer->profile, tid, process, name);
	if (added == UINT32_MAX)
		return fail_of_memory(error);
	*thread = added;
	return 0;
}

static int push_frame(struct dendro_writer *writer, struct frame frame)
{
	if (array_reserve(writer->frames, writer->n_frames, writer->n_frames_allocated, 1))
		return -ENOMEM;
	writer->frames[writer->n_frames++] = frame;
	return 0;
}

/* The reason of that name why callers are missing; N_MARKERS: there is none. */
static enum marker find_reason(const char *name)
{
	int marker = 0;

	while (marker < N_MARKERS && (!marker_is_reason((enum marker)marker) || !name ||
				      strcmp(marker_name((enum marker)marker), name) != 0))
		marker++;
	return (enum marker)marker;
}

/* What is wrong with a frame that follows one of the kind @before; NULL: nothing. */
static const char *complaint(const struct dendro_path_frame *frame, size_t i,
			     enum dendro_frame_kind before)
{
	if (!frame->name || !*frame->name)
		return "has no name";
	switch (frame->kind) {
	case DENDRO_FRAME_MARKER:
		if (i)
			return "is a marker, which only the first may be";
		return find_reason(frame->name) == N_MARKERS ? "is a marker of an unknown name"
							     : NULL;
	case DENDRO_FRAME_USER:
		return before == DENDRO_FRAME_KERNEL ? "is user code below the kernel's" : NULL;
	case DENDRO_FRAME_INLINED:
		return !i || before == DENDRO_FRAME_MARKER ? "is inlined into nothing" : NULL;
	case DENDRO_FRAME_KERNEL:
		return NULL;
	default:
		return "is neither a function nor a marker";
	}
}

/* Frames of the caller as this version has them, checked; to free(). NULL: *@err_ret is -EINVAL or
 * -ENOMEM. */
static struct dendro_path_frame *take_frames(const struct dendro_path_frame *frames, size_t n,
					     size_t frame_size, int *err_ret, char **error)
{
	const char *from = (const char *)frames;
	const size_t size = frame_size < sizeof(*frames) ? frame_size : sizeof(*frames);
	enum dendro_frame_kind code = DENDRO_FRAME_MARKER; /* into which is inlined */
	_cleanup_free_ struct dendro_path_frame *taken = calloc(n + 1, sizeof(*taken));

	if (!taken) {
		*err_ret = fail_of_memory(error);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		memcpy(&taken[i], from + i * frame_size, size);
		const char *wrong = complaint(&taken[i], i, code);
		if (wrong) {
			*err_ret = fail(error, -EINVAL, "frame %zu of the path %s", i, wrong);
			return NULL;
		}
		if (taken[i].kind != DENDRO_FRAME_INLINED)
			code = taken[i].kind;
	}
	return steal_ptr(taken);
}

static const char *name_of_process(const struct profile *profile, uint32_t thread)
{
	const char *name = profile->processes[profile->threads[thread].process].name;

	return name ? name : "[unknown]";
}

/* Makes writer->frames of the functions. 0, -ENOMEM or -E2BIG. */
static int make_frames(struct dendro_writer *writer, uint32_t thread,
		       const struct dendro_path_frame *frames, size_t n)
{
	struct profile *profile = writer->profile;
	bool has_user = false, has_kernel = false;
	int err = 0;

	for (size_t i = 0, n_more; i < n && !err; i += n_more) {
		struct frame frame = frame_marker(MARKER_KERNEL);

		for (n_more = 1; i + n_more < n && frames[i + n_more].kind == DENDRO_FRAME_INLINED;)
			n_more++;
		if (frames[i].kind == DENDRO_FRAME_KERNEL && has_user && !has_kernel)
			err = push_frame(writer, frame);
		has_user |= frames[i].kind == DENDRO_FRAME_USER;
		has_kernel |= frames[i].kind == DENDRO_FRAME_KERNEL;
		if (frames[i].kind == DENDRO_FRAME_MARKER)
			frame = frame_marker(find_reason(frames[i].name));
		else if (!err)
			err = written_names_frame(&writer->names, profile,
						  name_of_process(profile, thread), &frames[i],
						  n_more, &frame);
		if (!err)
			err = push_frame(writer, frame);
	}
	return err;
}

static int enter_task(struct profile *profile, uint32_t thread, uint32_t *task_ret)
{
	const struct profile_thread *of = &profile->threads[thread];
	const struct row_task task = {
		.thread = thread,
		.pid = profile->processes[of->process].pid,
		.tid = of->tid,
	};

	return sample_rows_enter_task(profile->rows, &task, of->name ? of->name : "[unknown]",
				      name_of_process(profile, thread), task_ret);
}

/* The path of writer->frames. 0 or -ENOMEM. */
static int enter_path(struct dendro_writer *writer, uint32_t thread, uint32_t *path_ret)
{
	struct profile *profile = writer->profile;
	const struct frame tasks[] = {
		{ .kind = FRAME_PROCESS, .offset = profile->threads[thread].process },
		{ .kind = FRAME_THREAD, .offset = thread },
	};
	const bool is_whole = !writer->n_frames || writer->frames->kind != FRAME_MARKER;
	uint32_t task, node = cct_insert_path(profile->cct, CCT_ROOT, tasks, 2);

	if (node != CCT_NONE)
		node = cct_insert_path(profile->cct, node, writer->frames, writer->n_frames);
	if (node == CCT_NONE || enter_task(profile, thread, &task) ||
	    array_reserve(writer->paths, writer->n_paths, writer->n_paths_allocated,
			  profile->cct->n_nodes - writer->n_paths))
		return -ENOMEM;
	while (writer->n_paths < profile->cct->n_nodes)
		writer->paths[writer->n_paths++] = (struct written_path){ 0 };
	writer->paths[node] = (struct written_path){
		.task = task + 1,
		.end = is_whole ? ROW_COMPLETE : (uint8_t)(ROW_INCOMPLETE + writer->frames->offset),
	};
	*path_ret = node;
	return 0;
}

int dendro_writer_add_path(struct dendro_writer *writer, uint32_t thread,
			   const struct dendro_path_frame *frames, size_t n, size_t frame_size,
			   uint32_t *path, char **error)
{
	int err = check(writer, error);

	if (err)
		return err;
	if (thread >= writer->profile->n_threads)
		return fail(error, -EINVAL, "there is no thread %u", thread);
	_cleanup_free_ struct dendro_path_frame *taken =
		take_frames(frames, n, frame_size, &err, error);
	if (!taken)
		return err;
	writer->n_frames = 0;
	err = make_frames(writer, thread, taken, n);
	if (err == -E2BIG)
		return fail(error, err,
			    "the path has too many functions inlined at one place, or "
			    "a function too many places");
	return err || enter_path(writer, thread, path) ? fail_of_memory(error) : 0;
}

/* 0, or -EINVAL or -EFBIG: the sample cannot be added. */
static int check_sample(const struct dendro_writer *writer, uint32_t path, uint32_t metric,
			uint64_t time_ns, char **error)
{
	const uint32_t n = writer->profile->rows->n_rows;
	const bool has_time = time_ns != DENDRO_NO_TIME;

	if (path >= writer->n_paths || !writer->paths[path].task)
		return fail(error, -EINVAL, "there is no path %u", path);
	if (metric >= writer->profile->n_metrics)
		return fail(error, -EINVAL, "there is no metric %u", metric);
	if (n && has_time != writer->has_times)
		return fail(error, -EINVAL, "either all samples have times, or none");
	if (has_time && time_ns > INT64_MAX)
		return fail(error, -EINVAL, "the time is not one of a clock");
	return n == SAMPLE_ROWS_MAX
		       ? fail(error, -EFBIG, "a profile has %u samples at most", SAMPLE_ROWS_MAX)
		       : 0;
}

static void note_time(struct dendro_writer *writer, uint64_t time_ns)
{
	struct profile_info *info = &writer->profile->info;

	writer->has_times = time_ns != DENDRO_NO_TIME;
	if (!writer->has_times)
		return;
	if (!info->start_ns || time_ns + CLOCK_START < info->start_ns)
		info->start_ns = time_ns + CLOCK_START;
	if (time_ns + CLOCK_START > info->end_ns)
		info->end_ns = time_ns + CLOCK_START;
}

int dendro_writer_add_sample(struct dendro_writer *writer, uint32_t path, uint32_t metric,
			     uint64_t weight, uint64_t time_ns, uint32_t cpu, char **error)
{
	struct profile *profile = writer->profile;
	int err = check(writer, error);

	if (!err)
		err = check_sample(writer, path, metric, time_ns, error);
	if (err)
		return err;
	const struct sample_row row = {
		.time = time_ns == DENDRO_NO_TIME ? 0 : time_ns + CLOCK_START,
		.weight = weight,
		.number = profile->rows->n_rows,
		.node = path,
		.task = writer->paths[path].task - 1,
		.cpu = cpu,
		.metric = (uint16_t)metric,
		.end = writer->paths[path].end,
	};
	if (sample_rows_add(profile->rows, &row) ||
	    sample_row_count(&row, profile->cct, &profile->quality))
		return fail_of_memory(error);
	note_time(writer, time_ns);
	profile->quality.counts[QUALITY_SAMPLES]++;
	profile->metrics[metric].samples++;
	profile->metrics[metric].total += weight;
	return 0;
}

int dendro_writer_add_lost(struct dendro_writer *writer, uint32_t metric, uint64_t n_samples,
			   char **error)
{
	int err = check(writer, error);

	if (err)
		return err;
	if (metric >= writer->profile->n_metrics)
		return fail(error, -EINVAL, "there is no metric %u", metric);
	writer->profile->metrics[metric].lost += n_samples;
	writer->profile->quality.counts[QUALITY_LOST] += n_samples;
	return 0;
}

/* As a profile of a recording has them. 0 or -ENOMEM. */
static int finish(struct dendro_writer *writer)
{
	struct profile *profile = writer->profile;
	struct profile_info *info = &profile->info;
	struct cct *ordered = cct_create_like(profile->cct);

	if (!ordered || sample_rows_order_nodes(profile->rows, profile->cct, ordered)) {
		cct_destroy(ordered);
		return -ENOMEM;
	}
	cct_destroy(profile->cct);
	profile->cct = ordered;
	sample_rows_finish(profile->rows, info->start_ns);
	info->has_date = writer->start_unix_ns && info->start_ns;
	if (info->has_date)
		info->unix_offset_ns = writer->start_unix_ns - CLOCK_START;
	return 0;
}

int dendro_writer_save(struct dendro_writer *writer, const char *path, char **error)
{
	int err = check(writer, error);

	if (err)
		return err;
	writer->is_saved = true;
	if (finish(writer))
		return fail_of_memory(error);
	FILE *file = fopen(path, "we");
	if (!file)
		err = -errno;
	else
		err = profile_file_write(file, writer->profile);
	if (file && fclose(file) && !err)
		err = -errno;
	return err ? fail(error, err, "%s: %s", path, strerror(-err)) : 0;
}
