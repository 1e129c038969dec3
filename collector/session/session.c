/* A session over one pass of replay. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/model/profile_filter.h"
#include "collector/replay/replay.h"
#include "collector/session/build_profile.h"
#include "collector/session/dendro.h"
#include "collector/session/path_resolver.h"
#include "collector/session/sample_filter.h"
#include "collector/session/walk_log.h"
#include "perf/file/read_gate.h"

struct dendro {
	struct dendro_options options;
	struct replay *replay;
	/* Of dendro_next(): */
	struct path_resolver resolver;
	struct sample_path *sample_path; /* from the first path on */
	struct walk_log log;             /* of one sample */
	struct sample sample;            /* the last one, if ->has_sample */
	bool has_sample;
	bool is_started;              /* samples were taken */
	struct build *build;          /* of dendro_build(); NULL: it is not going on */
	struct sample_values *values; /* of dendro_next(); NULL: none was needed yet */
};

int dendro_open(const struct dendro_source *source, const struct dendro_options *options,
		struct dendro **dendro_ret, char **error_ret)
{
	struct dendro *dendro = calloc(1, sizeof(*dendro));

	*error_ret = NULL;
	int err = dendro ? replay_open(source->path, source->follow, options->files,
				       &dendro->replay, error_ret)
			 : -ENOMEM;
	if (err) {
		if (!*error_ret)
			*error_ret = strdup(strerror(-err));
		free(dendro);
		return err;
	}
	dendro->options = *options;
	*dendro_ret = dendro;
	return 0;
}

static void drop_sample(struct dendro *dendro)
{
	if (dendro->has_sample)
		sample_deinit(&dendro->sample);
	dendro->has_sample = false;
}

void dendro_close(struct dendro *dendro)
{
	if (!dendro)
		return;
	drop_sample(dendro);
	sample_path_destroy(dendro->sample_path);
	walk_log_deinit(&dendro->log);
	path_resolver_deinit(&dendro->resolver);
	sample_values_destroy(dendro->values);
	replay_close(dendro->replay);
	free(dendro);
}

static int start_resolving(struct dendro *dendro)
{
	path_resolver_deinit(&dendro->resolver);
	int err =
		path_resolver_init(&dendro->resolver, dendro->replay, dendro->options.kept_modules);
	if (err)
		return err;
	dendro->sample_path = path_resolver_open(&dendro->resolver);
	return dendro->sample_path ? 0 : -ENOMEM;
}

int dendro_resolve(struct dendro *dendro)
{
	int err = dendro->sample_path ? 0 : start_resolving(dendro);

	if (!err)
		sample_path_resolve(dendro->sample_path, &dendro->sample);
	return err;
}

/* Joins the path of the present sample, or learns from it. */
static int join_path(struct dendro *dendro)
{
	struct walk_log *log = &dendro->log;

	walk_log_clear(log);
	int got = walk_log_note(log, 0, &dendro->sample);
	if (got < 0)
		return got;
	int err = walk_log_join(log, dendro->resolver.joins);
	if (got && !err)
		sample_path_join(dendro->sample_path, &dendro->sample,
				 walk_log_outer(log, log->walks), log->walks->n_outer);
	return err;
}

/* 1, 0, or -ENOMEM. */
static int pass_filter(struct dendro *dendro, const struct time_span *times)
{
	const struct dendro_filter *filter = &dendro->options.filter;
	struct profile *profile = replay_profile(dendro->replay);

	if (filter->n_conditions && !dendro->values) {
		const struct value_questions questions = { filter->conditions, filter->n_conditions,
							   NULL };

		dendro->values = sample_values_create(&questions, profile);
	}
	if (sample_filter_passes(filter, profile, times, &dendro->sample))
		return sample_filter_ask(filter, profile, dendro->values, &dendro->sample);
	profile->quality.counts[QUALITY_FILTERED]++;
	return 0;
}

/* The next sample that passes the filter, in ->sample. */
static int find_next(struct dendro *dendro)
{
	const struct time_span *times =
		dendro->options.times.end_ns ? &dendro->options.times : NULL;

	for (;;) {
		int got = replay_next(dendro->replay, &dendro->sample);

		if (dendro->options.work)
			work_done_set(dendro->options.work, replay_position(dendro->replay));
		if (got <= 0)
			return got;
		got = pass_filter(dendro, times);
		if (got > 0)
			return 1;
		sample_deinit(&dendro->sample);
		if (got < 0)
			return got;
	}
}

int dendro_next(struct dendro *dendro, const struct sample **sample_ret)
{
	bool is_first = !dendro->is_started;

	drop_sample(dendro);
	dendro->is_started = true;
	if (is_first && dendro->options.work)
		work_done_expect(dendro->options.work, replay_size(dendro->replay));
	int got = find_next(dendro);
	if (got <= 0)
		return got;
	dendro->has_sample = true;
	int err = is_first ? replay_name_kernel(dendro->replay) : 0;
	if (!err && !dendro->options.no_paths)
		err = dendro_resolve(dendro);
	if (!err && !dendro->options.no_paths)
		err = join_path(dendro);
	if (err)
		return err;
	*sample_ret = &dendro->sample;
	return 1;
}

static int read_to_end(struct replay *replay, struct time_span *times_ret)
{
	const struct profile_info *info = &replay_profile(replay)->info;
	struct sample sample;
	int got;

	while ((got = replay_next(replay, &sample)) > 0)
		sample_deinit(&sample);
	*times_ret = (struct time_span){ info->start_ns, info->end_ns };
	return got;
}

int dendro_read_times(const struct dendro_source *source, struct time_span *times_ret,
		      char **error_ret)
{
	struct replay *replay;
	struct stat st;

	*error_ret = NULL;
	if (strcmp(source->path, "-") == 0 ||
	    (stat(source->path, &st) == 0 && !S_ISREG(st.st_mode))) {
		*error_ret = sentence("To choose samples by --time it would have to be read twice, "
				      "which takes a file.");
		return -ESPIPE;
	}
	int err = replay_open(source->path, NULL, NULL, &replay, error_ret);
	if (err)
		return err;
	err = read_to_end(replay, times_ret);
	replay_close(replay);
	return err;
}

/*
 * Leaves out what filter.time does. It is done with the rows of all samples: where the recording
 * begins and ends is known only now, and paths may be joined to those of samples that are left out.
 */
static int choose_time(const struct dendro_options *options, struct profile *profile)
{
	const struct dendro_filter filter = { .has_time = true, .time = options->filter.time };

	if (!profile->rows)
		return -EFBIG;
	return sample_filter_apply(&filter, profile);
}

/* Gives the tree the nodes that are wanted, after samples were chosen by row. */
static int group(const struct dendro_options *options, struct profile *profile)
{
	if (options->grouping != GROUPED_BY_TASK)
		return profile->rows ? profile_group(profile, options->grouping) : -EFBIG;
	if (!options->filter.has_time)
		return 0;
	if (!options->keeps_rows)
		sample_rows_destroy(steal_ptr(profile->rows));
	return options->by_thread ? 0 : profile_join_threads(profile);
}

/* What a visitor of the gate finds from here on; NULL: nothing. */
static void set_build(struct dendro *dendro, struct build *build)
{
	struct read_gate *gate = dendro->options.gate;

	if (gate)
		read_gate_enter(gate);
	dendro->build = build;
	if (gate)
		read_gate_leave(gate);
}

static int run_build(struct dendro *dendro, const struct dendro_options *options)
{
	struct build *build = build_create(dendro->replay, options);

	if (!build)
		return -ENOMEM;
	set_build(dendro, build);
	int err = build_run(build);
	set_build(dendro, NULL);
	build_destroy(build);
	return err;
}

int dendro_pause(struct dendro *dendro, struct profile_peek *peek_ret)
{
	return dendro->build ? build_pause(dendro->build, peek_ret) : -EAGAIN;
}

void dendro_go_on(struct dendro *dendro)
{
	build_go_on(dendro->build);
}

int dendro_finish_peek(const struct dendro *dendro, struct profile_peek *peek, uint64_t recent_ns)
{
	return build_finish_peek(dendro->build, peek, recent_ns);
}

int dendro_build(struct dendro *dendro, struct profile **profile_ret)
{
	struct dendro_options options = dendro->options;

	if (dendro->is_started)
		return -EINVAL;
	dendro->is_started = true;
	options.keeps_rows |= options.filter.has_time;
	options.by_thread |= options.filter.has_time;
	int err = run_build(dendro, &options);
	struct profile *profile = replay_profile(dendro->replay);
	if (!err && options.filter.has_time)
		err = choose_time(&options, profile);
	if (!err)
		err = group(&dendro->options, profile);
	if (!err && options.keeps_code)
		err = replay_keep_code(dendro->replay);
	if (err)
		return err;
	*profile_ret = replay_take_profile(dendro->replay);
	return 0;
}

static char *describe(int err)
{
	if (err == -EFBIG)
		return strdup("Its samples have too many call paths to be shown by CPU, cgroup, "
			      "phase or epoch, or chosen by --time: choose some of them, as with "
			      "--comm or --event.");
	if (err == -ENODATA)
		return sentence("Its samples have no times, so --time cannot choose among them.");
	return strdup(strerror(-err));
}

int dendro_build_from(const struct dendro_source *source, const struct dendro_options *options,
		      struct profile **profile_ret, char **error_ret)
{
	struct dendro *dendro;
	int err = dendro_open(source, options, &dendro, error_ret);

	if (err)
		return err;
	err = dendro_build(dendro, profile_ret);
	if (err)
		*error_ret = describe(err);
	else if (dendro_error(dendro))
		*error_ret = strdup(dendro_error(dendro));
	dendro_close(dendro);
	return err;
}

struct frame dendro_frame(const struct dendro *dendro, const struct sample *sample, uint64_t addr)
{
	return sample_frame(sample, replay_kernel_symbols(dendro->replay), addr);
}

const struct trace_format *dendro_trace_format(struct dendro *dendro,
					       const struct data_file_event *event)
{
	return replay_trace_format(dendro->replay, event);
}

const struct profile *dendro_recording(const struct dendro *dendro)
{
	return replay_profile(dendro->replay);
}

const char *dendro_error(const struct dendro *dendro)
{
	return replay_error(dendro->replay);
}
