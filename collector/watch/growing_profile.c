#include "collector/watch/growing_profile.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/store/profile_file.h"
#include "collector/files/named_profile.h"
#include "collector/files/profile_builder.h"
#include "collector/session/build_profile.h"
#include "perf/file/read_gate.h"
#include "report/names/names_store.h"

struct growing_profile {
	struct report_options *report;
	struct dendro_options build;
	char *path;
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
	uint64_t recent_ns; /* of snapshots; 0: since the start */
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

static void read_stream(struct growing_profile *growing)
{
	const struct dendro_source source = { growing->path, &growing->is_followed };
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
	struct growing_profile *growing = arg;

	read_stream(growing);
	read_gate_enter(&growing->gate);
	growing->has_ended = true;
	read_gate_leave(&growing->gate);
	eventfd_write(growing->end_fd, 1);
	return NULL;
}

static void free_all(struct growing_profile *growing)
{
	symbolizer_destroy(growing->symbolizer);
	stored_names_destroy(growing->names);
	profile_destroy(growing->profile);
	if (growing->end_fd >= 0)
		close(growing->end_fd);
	read_gate_deinit(&growing->gate);
	free(growing->error);
	free(growing->path);
	free(growing);
}

int growing_profile_start(struct report_options *report, const char *path,
			  struct growing_profile **growing_ret)
{
	struct growing_profile *growing = calloc(1, sizeof(*growing));

	if (!growing)
		return -ENOMEM;
	growing->report = report;
	growing->build = report->build;
	growing->build.gate = &growing->gate;
	growing->build.n_threads = profile_builder_threads();
	growing->build.adds_threads = true;
	read_gate_init(&growing->gate);
	atomic_init(&growing->is_followed, true);
	growing->path = strdup(path);
	growing->names = stored_names_create();
	growing->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int err = !growing->path || !growing->names ? -ENOMEM : growing->end_fd < 0 ? -errno : 0;
	if (!err)
		err = -pthread_create(&growing->thread, NULL, thread_main, growing);
	if (err) {
		free_all(growing);
		return err;
	}
	*growing_ret = growing;
	return 0;
}

static void join(struct growing_profile *growing)
{
	if (!growing->is_joined)
		pthread_join(growing->thread, NULL);
	growing->is_joined = true;
}

int growing_profile_finish(struct growing_profile *growing, int control_fd)
{
	join(growing);
	return growing->profile ? profile_builder_note_end(growing->profile, control_fd) : 0;
}

void growing_profile_destroy(struct growing_profile *growing)
{
	if (!growing)
		return;
	atomic_store(&growing->is_followed, false);
	join(growing);
	free_all(growing);
}

int growing_profile_end_fd(const struct growing_profile *growing)
{
	return growing->end_fd;
}

bool growing_profile_has_ended(const struct growing_profile *growing)
{
	eventfd_t n;

	/* The descriptor stays readable. */
	if (eventfd_read(growing->end_fd, &n))
		return false;
	eventfd_write(growing->end_fd, n);
	return true;
}

bool growing_profile_has_begun(struct growing_profile *growing)
{
	read_gate_visit(&growing->gate);
	const bool has_begun = growing->dendro || growing->profile;
	read_gate_end_visit(&growing->gate);
	return has_begun;
}

const char *growing_profile_error(const struct growing_profile *growing)
{
	return growing_profile_has_ended(growing) ? growing->error : NULL;
}

/* Names code that is new in any tree: names are those of earlier snapshots and of that. */
static int name_more(struct growing_profile *growing)
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

/* By the process of its own. */
static int write_peek(struct growing_profile *growing, FILE *file)
{
	int err = dendro_finish_peek(growing->dendro, &growing->peek, growing->recent_ns);

	if (err)
		return err;
	growing->peek.profile.names = growing->names;
	return profile_file_write(file, &growing->peek.profile);
}

/* A process that has all as it is now, and writes it while this one goes on. Its number, or
 * -errno. */
static pid_t fork_writer(struct growing_profile *growing, FILE *file)
{
	int err = dendro_pause(growing->dendro, &growing->peek);

	if (err)
		return err;
	err = name_more(growing);
	pid_t pid = err ? err : fork();
	if (pid == 0)
		_exit(-write_peek(growing, file));
	if (!err && pid < 0)
		pid = -errno;
	dendro_go_on(growing->dendro);
	return pid;
}

/* 0, or the -errno that it ended with. */
static int wait_for(pid_t pid)
{
	int status;
	pid_t got;

	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -ENOMEM;
}

static int name(struct growing_profile *growing)
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

static int write_whole(struct growing_profile *growing, FILE *file)
{
	if (!growing->profile)
		return -EAGAIN;
	int err = name(growing);
	return err ? err : profile_file_write(file, growing->profile);
}

void growing_profile_show_recent(struct growing_profile *growing, uint64_t recent_ns)
{
	growing->recent_ns = recent_ns;
}

int growing_profile_write(struct growing_profile *growing, FILE *file)
{
	read_gate_visit(&growing->gate);
	const bool has_ended = growing->has_ended;
	pid_t pid = has_ended || !growing->dendro ? -EAGAIN : fork_writer(growing, file);
	read_gate_end_visit(&growing->gate);

	if (has_ended)
		return write_whole(growing, file);
	return pid < 0 ? pid : wait_for(pid);
}
