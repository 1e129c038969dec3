#include "collector/files/profile_builder.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/broker/descriptor_message.h"
#include "cct/model/known_names.h"
#include "cct/store/profile_file.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/report_options.h"
#include "collector/files/named_profile.h"
#include "collector/files/result_file.h"
#include "collector/record/builder_watch.h"
#include "collector/sandbox/parser_sandbox.h"
#include "unwind/modules/kept_modules.h"

/* Of samples that are kept one by one; more are added up in slices of time. */
#define N_ROWS_MAX (1u << 19)
/* The most that a user may have without a privilege: the fewer switches between the processes. */
#define PIPE_SIZE (1 << 20)
/* What is larger has pages of its own, which go back to the system when it is freed; by default
 * glibc raises that to what was freed once, and what stays from window to window is among free
 * memory. */
#define OWN_PAGES_SIZE (128 << 10)

/* One thread unwinds 70 000 samples in a second, and gets about half of a CPU that is busy: a
 * worker for each four CPUs, which the reader feeds, unwinds 10 kHz of each CPU. At least two, as
 * reports have on so many CPUs, so that nodes have the same order. */
unsigned profile_builder_threads(void)
{
	const long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (n_cpus <= 2)
		return 1;
	return n_cpus <= 8 ? 3 : 1 + (unsigned)n_cpus / 4;
}

/* It ends anywhere then, between two records, too. */
int profile_builder_note_end(struct profile *profile, int control_fd)
{
	return builder_link_is_confirmed(control_fd)
		       ? 0
		       : profile_set_string(&profile->info.truncated,
					    "the recorder did not finish: the profile has what "
					    "came until then");
}

/* As dendro build does it, of standard input. *@is_damaged_ret: the profile has what precedes the
 * damage, after a message. 0, or another value after a message. */
static int build(struct report_options *report, int control_fd, struct profile **profile_ret,
		 bool *is_damaged_ret)
{
	int err = named_profile_build(report, profile_ret, is_damaged_ret);

	if (!err && (*profile_ret)->rows && (*profile_ret)->rows->sums)
		err = named_profile_give_run(report, profile_ret);
	if (!err && profile_builder_note_end(*profile_ret, control_fd))
		err = message_error_of_memory(report->command);
	return err;
}

/* What all profiles of the process have in common. */
struct builder {
	const struct profile_builder_options *options;
	struct report_options report;
	struct parser_sandbox sandbox;
	int task_fd; /* of profile_builder_serve(); -1: there is one profile, and nobody is asked */
	int null_fd; /* read between two tasks; likewise */
};

static bool say(const struct builder *builder, enum builder_word word)
{
	const uint8_t byte = (uint8_t)word;

	return send(builder->task_fd, &byte, 1, MSG_NOSIGNAL) == 1;
}

/* 0, or another value after a message. */
static int ask_for_times(const struct builder *builder, struct profile *profile)
{
	struct watched_time *watched = &profile->info.watched;
	struct watched_answer answer = { .own_cpu_ns = 0 };
	ssize_t n = -1;

	if (builder->task_fd < 0)
		return 0;
	if (say(builder, BUILDER_ASKS))
		do
			n = recv(builder->task_fd, &answer, sizeof(answer), 0);
		while (n < 0 && errno == EINTR);
	if (n != sizeof(answer))
		return message_error(builder->options->command,
				     "nobody wants the profile any more.");
	watched->own_cpu_ns = answer.own_cpu_ns;
	watched->own_memory = answer.own_memory;
	watched->slow_ns = answer.is_slow ? answer.span.end_ns - answer.span.start_ns : 0;
	return watched_time_add(watched, &answer.span)
		       ? message_error_of_memory(builder->options->command)
		       : 0;
}

/* Whatever has to be found with rights is found before they are given up. */
static int prepare(struct builder *builder)
{
	const struct profile_builder_options *options = builder->options;
	struct report_options *report = &builder->report;

	report_options_init(report, options->command);
	report->path = "-";
	report->files.is_quiet = true;
	report->build.counts_calls = report->build.keeps_rows = true;
	report->build.n_threads = profile_builder_threads();
	report->build.adds_threads = report->build.names_kernel_late = true;
	report->build.n_rows_max = N_ROWS_MAX;
	/* A process without a network fetches nothing. */
	report->files.debuginfod &= options->keeps_rights;
	int err = file_options_open(&report->files, report->command, &report->build.files);
	return err || options->keeps_rights
		       ? err
		       : parser_sandbox_enter(options->command, report->build.files,
					      &builder->sandbox);
}

static void builder_deinit(struct builder *builder)
{
	file_search_destroy(builder->report.build.files);
	parser_sandbox_leave(&builder->sandbox);
	known_names_destroy(builder->report.known_names);
	kept_modules_destroy(builder->report.build.kept_modules);
	report_options_deinit(&builder->report);
}

/* Of standard input. Closes @out. */
static int build_into(struct builder *builder, FILE *out, int control_fd)
{
	const struct profile_builder_options *options = builder->options;
	struct profile *profile = NULL;
	bool is_damaged = false;

	int err = build(&builder->report, control_fd, &profile, &is_damaged);
	if (!err && !options->is_quiet)
		named_profile_note_lacks(&builder->report, profile);
	if (!err)
		err = ask_for_times(builder, profile);
	if (!err)
		err = result_file_close(out, options->command, options->output,
					profile_file_write(out, profile));
	else
		fclose(out);
	profile_destroy(profile);
	return err || is_damaged;
}

/* What ends the recording must not end this process: it ends with the stream. The parent had
 * blocked these signals. */
static void ignore_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
	sigset_t ignored;

	sigemptyset(&ignored);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		signal(signals[i], SIG_IGN);
		sigaddset(&ignored, signals[i]);
	}
	sigprocmask(SIG_UNBLOCK, &ignored, NULL);
}

int profile_builder_run(const struct profile_builder_options *options, FILE *out, int stream_fd,
			int control_fd)
{
	struct builder builder = { .options = options, .task_fd = -1, .null_fd = -1 };

	if (dup2(stream_fd, STDIN_FILENO) < 0)
		return message_error(options->command, "cannot read records: %s.", strerror(errno));
	close(stream_fd);
	int err = prepare(&builder);
	if (err)
		fclose(out);
	else
		err = build_into(&builder, out, control_fd);
	builder_deinit(&builder);
	return err ? 1 : 0;
}

/* The descriptors of a task. */
enum { TASK_STREAM, TASK_CONTROL, TASK_FILE, N_TASK_FDS };

int profile_builder_give(int task_fd, int stream_fd, int control_fd, int file_fd)
{
	const int fds[] = { stream_fd, control_fd, file_fd };
	char byte = 0;

	static_assert(N_TASK_FDS <= DESCRIPTOR_MESSAGE_MAX, "they go in one message");
	return descriptor_message_send(task_fd, &(struct iovec){ &byte, 1 }, fds, N_TASK_FDS);
}

enum builder_word profile_builder_hear(int task_fd)
{
	uint8_t byte;
	ssize_t n;

	do
		n = recv(task_fd, &byte, 1, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return BUILDER_SILENT;
	return n == 1 && byte < BUILDER_GONE ? (enum builder_word)byte : BUILDER_GONE;
}

void profile_builder_answer(int task_fd, const struct watched_answer *answer)
{
	(void)!send(task_fd, answer, sizeof(*answer), MSG_NOSIGNAL);
}

/* What is read is the next profile's in no way but by names, and unwind information of files, that
 * it has, too. */
static int build_task(struct builder *builder, const int *fds)
{
	FILE *out = fdopen(fds[TASK_FILE], "w");
	int err = out ? 0 : message_error_of_memory(builder->options->command);

	dup2(fds[TASK_STREAM], STDIN_FILENO);
	close(fds[TASK_STREAM]);
	if (!err)
		err = build_into(builder, out, fds[TASK_CONTROL]);
	/* Who still writes must notice. */
	dup2(builder->null_fd, STDIN_FILENO);
	close(fds[TASK_CONTROL]);
	file_search_forget_carried(builder->report.build.files);
	malloc_trim(0);
	return err;
}

static int serve_tasks(struct builder *builder)
{
	int fds[DESCRIPTOR_MESSAGE_MAX];
	size_t n_fds;
	char byte;

	while (!descriptor_message_receive(builder->task_fd, &(struct iovec){ &byte, 1 }, fds,
					   &n_fds) &&
	       n_fds == N_TASK_FDS) {
		const int err = build_task(builder, fds);

		if (!say(builder, err ? BUILDER_FAILED : BUILDER_DONE))
			break;
	}
	return 0;
}

int profile_builder_serve(const struct profile_builder_options *options, int task_fd)
{
	struct builder builder = { .options = options, .task_fd = task_fd };

	ignore_signals();
	mallopt(M_MMAP_THRESHOLD, OWN_PAGES_SIZE);
	builder.null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int err = builder.null_fd < 0 || dup2(builder.null_fd, STDIN_FILENO) < 0
			  ? message_error(options->command, "cannot open /dev/null: %s.",
					  strerror(errno))
			  : prepare(&builder);
	/* Without memory for these, more is read again. */
	builder.report.known_names = err ? NULL : known_names_create();
	builder.report.build.kept_modules = err ? NULL : kept_modules_create();
	if (!err)
		err = serve_tasks(&builder);
	builder_deinit(&builder);
	return err ? 1 : 0;
}

static _Noreturn void run(const struct profile_builder_options *options, int stream_fd,
			  int control_fd)
{
	int fd = builder_link_receive(control_fd);
	if (fd < 0) /* the recorder has said why there is nothing to record */
		_exit(1);
	FILE *out = fdopen(fd, "w");
	if (!out)
		_exit(message_error_of_memory(options->command));
	_exit(profile_builder_run(options, out, stream_fd, control_fd));
}

int profile_builder_make_link(const char *command, int stream_ret[2], int control_ret[2])
{
	const bool has_pipe = !pipe2(stream_ret, O_CLOEXEC);
	int err;

	if (has_pipe && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control_ret)) {
		fcntl(stream_ret[1], F_SETPIPE_SZ, PIPE_SIZE);
		return 0;
	}
	err = message_error(command, "cannot make a pipe to a process that builds the profile: %s.",
			    strerror(errno));
	if (has_pipe) {
		close(stream_ret[0]);
		close(stream_ret[1]);
	}
	return err;
}

int profile_builder_fork(const char *command, struct builder_link *link_ret)
{
	int stream[2] = { -1, -1 }, control[2] = { -1, -1 };
	int err = profile_builder_make_link(command, stream, control);

	if (err)
		return err;
	fflush(NULL);
	pid_t pid = fork();
	const int own = pid == 0 ? 0 : 1, other = 1 - own;
	if (pid < 0)
		err = message_error(command, "cannot start a process that builds the profile: %s.",
				    strerror(errno));
	close(stream[other]);
	close(control[other]);
	if (err) {
		close(stream[own]);
		close(control[own]);
		return err;
	}
	*link_ret = (struct builder_link){ .pid = pid,
					   .stream_fd = stream[own],
					   .control_fd = control[own] };
	if (pid == 0)
		ignore_signals();
	return 0;
}

int profile_builder_start(const struct profile_builder_options *options,
			  struct builder_link *link_ret)
{
	int err = profile_builder_fork(options->command, link_ret);

	if (!err && link_ret->pid == 0)
		run(options, link_ret->stream_fd, link_ret->control_fd);
	if (!err)
		link_ret->watch = builder_watch_start(link_ret->pid, link_ret->stream_fd,
						      BUILDER_WATCH_INTERVAL_NS);
	return err;
}

int profile_builder_finish(const char *command, struct builder_link *link, bool is_whole)
{
	int status;
	pid_t pid;

	if (is_whole)
		builder_link_confirm(link->control_fd);
	builder_watch_end_stream(link->watch);
	close(link->stream_fd);
	close(link->control_fd);
	do
		pid = waitpid(link->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	const int err = pid < 0 ? errno : 0;
	if (builder_watch_stop(link->watch))
		return message_error(command, "the process that builds the profile took no time "
					      "for half a minute, so it was ended: there is no "
					      "profile.");
	if (pid < 0)
		return message_error(command,
				     "cannot wait for the process that builds the "
				     "profile: %s.",
				     strerror(err));
	if (WIFSIGNALED(status))
		return message_error(command,
				     "the process that builds the profile was ended by signal %d "
				     "(%s): there is no profile.",
				     WTERMSIG(status), strsignal(WTERMSIG(status)));
	return WEXITSTATUS(status);
}
