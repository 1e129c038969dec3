#include "collector/watch/growing_build.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/store/profile_file.h"
#include "collector/files/named_profile.h"
#include "collector/files/profile_builder.h"
#include "collector/session/build_profile.h"
#include "perf/file/read_gate.h"
#include "report/names/names_store.h"

struct growing_build {
	struct report_options *report;
	struct dendro_options build;
	atomic_bool is_followed; /* a file; the caller writes it */
	struct read_gate gate;
	pthread_t thread;
	bool is_joined;
	int end_fd;
	/* By the thread that builds, inside the gate: */
	struct dendro *dendro;   /* while it is read */
	struct profile *profile; /* once it is complete */
	char *error;
	bool has_ended;
	/* Of snapshots: the names found so far, of the profile that was looked at last. */
	struct profile_peek peek;
	struct symbolizer *symbolizer;
	struct stored_names *names;
};

static struct symbolizer *create_symbolizer(const struct profile *profile)
{
	const struct symbolizer_options named = { .lines = true };

	return symbolizer_create(profile, &named);
}

static void read_stream(struct growing_build *growing)
{
	const struct dendro_source source = { "-", &growing->is_followed };
	struct profile *profile = NULL;
	struct dendro *dendro;

	if (dendro_open(&source, &growing->build, &dendro, &growing->error))
		return;
	read_gate_enter(&growing->gate);
	growing->dendro = dendro;
	read_gate_leave(&growing->gate);
	int err = dendro_build(dendro, &profile);
	read_gate_enter(&growing->gate);
	growing->dendro = NULL;
	growing->profile = profile;
	growing->error = err                    ? strdup(strerror(-err))
			 : dendro_error(dendro) ? strdup(dendro_error(dendro))
						: NULL;
	read_gate_leave(&growing->gate);
	dendro_close(dendro);
}

static void *thread_main(void *arg)
{
	struct growing_build *growing = arg;

	read_stream(growing);
	read_gate_enter(&growing->gate);
	growing->has_ended = true;
	read_gate_leave(&growing->gate);
	(void)!write(growing->end_fd, "", 1);
	return NULL;
}

static void free_all(struct growing_build *growing)
{
	symbolizer_destroy(growing->symbolizer);
	stored_names_destroy(growing->names);
	profile_destroy(growing->profile);
	read_gate_deinit(&growing->gate);
	free(growing->error);
	free(growing);
}

int growing_build_start(struct report_options *report, int end_fd,
			struct growing_build **growing_ret)
{
	struct growing_build *growing = calloc(1, sizeof(*growing));

	if (!growing)
		return -ENOMEM;
	growing->report = report;
	growing->build = report->build;
	growing->build.gate = &growing->gate;
	growing->build.n_threads = profile_builder_threads();
	growing->build.adds_threads = true;
	read_gate_init(&growing->gate);
	atomic_init(&growing->is_followed, true);
	growing->end_fd = end_fd;
	growing->names = stored_names_create();
	int err = growing->names ? 0 : -ENOMEM;
	if (!err)
		err = -pthread_create(&growing->thread, NULL, thread_main, growing);
	if (err) {
		free_all(growing);
		return err;
	}
	*growing_ret = growing;
	return 0;
}

static void join(struct growing_build *growing)
{
	if (!growing->is_joined)
		pthread_join(growing->thread, NULL);
	growing->is_joined = true;
}

int growing_build_finish(struct growing_build *growing, int control_fd)
{
	join(growing);
	return growing->profile ? profile_builder_note_end(growing->profile, control_fd) : 0;
}

void growing_build_destroy(struct growing_build *growing)
{
	if (!growing)
		return;
	atomic_store(&growing->is_followed, false);
	join(growing);
	free_all(growing);
}

bool growing_build_has_begun(struct growing_build *growing)
{
	read_gate_visit(&growing->gate);
	const bool has_begun = growing->dendro || growing->profile;
	read_gate_end_visit(&growing->gate);
	return has_begun;
}

const char *growing_build_error(struct growing_build *growing)
{
	read_gate_visit(&growing->gate);
	const char *error = growing->has_ended ? growing->error : NULL;
	read_gate_end_visit(&growing->gate);
	return error;
}

/* Names code that is new in any tree: names are those of earlier snapshots and of that. */
static int name_more(struct growing_build *growing)
{
	struct profile_peek *peek = &growing->peek;
	int err = 0;

	if (!growing->symbolizer)
		growing->symbolizer = create_symbolizer(&peek->profile);
	if (!growing->symbolizer)
		return -ENOMEM;
	for (unsigned i = 0; !err && i < peek->n_trees; i++) {
		struct profile of_tree = peek->profile;

		of_tree.cct = (struct cct *)peek->trees[i];
		err = names_store_more(&of_tree, growing->symbolizer, growing->names);
	}
	return err;
}

/* No sample is added meanwhile: records wait in the pipe, and in the recorder's queue. */
static int write_peek(struct growing_build *growing, uint64_t recent_ns, FILE *file)
{
	int err = dendro_pause(growing->dendro, &growing->peek);

	if (err)
		return err;
	err = name_more(growing);
	struct profile_peek finished = growing->peek; /* of which the symbolizer knows nothing */
	if (!err)
		err = dendro_finish_peek(growing->dendro, &finished, recent_ns);
	if (!err) {
		finished.profile.names = growing->names;
		err = profile_file_write(file, &finished.profile);
	}
	profile_peek_deinit(&finished);
	dendro_go_on(growing->dendro);
	return err;
}

static int name(struct growing_build *growing)
{
	struct profile *profile = growing->profile;
	struct symbolizer *symbolizer = profile->names ? NULL : create_symbolizer(profile);

	if (profile->names)
		return 0;
	int err = symbolizer ? names_store(profile, symbolizer, NULL, &profile->names) : -ENOMEM;
	symbolizer_destroy(symbolizer);
	if (!err && profile->rows && profile->rows->sums)
		err = named_profile_give_run(growing->report, &growing->profile) ? -ENOMEM : 0;
	return err;
}

static int write_whole(struct growing_build *growing, FILE *file)
{
	if (!growing->profile)
		return -EAGAIN;
	int err = name(growing);
	return err ? err : profile_file_write(file, growing->profile);
}

int growing_build_write(struct growing_build *growing, uint64_t recent_ns, FILE *file)
{
	read_gate_visit(&growing->gate);
	const bool has_ended = growing->has_ended;
	const int err =
		has_ended || !growing->dendro ? -EAGAIN : write_peek(growing, recent_ns, file);
	read_gate_end_visit(&growing->gate);

	return has_ended ? write_whole(growing, file) : err;
}
