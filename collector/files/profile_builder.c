#include "collector/files/profile_builder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/store/profile_file.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/report_options.h"
#include "collector/files/named_profile.h"
#include "collector/files/result_file.h"
#include "collector/sandbox/parser_sandbox.h"

/* Of samples that are kept one by one; more are added up in slices of time. */
#define N_ROWS_MAX (1u << 19)
/* The most that a user may have without a privilege: the fewer switches between the processes. */
#define PIPE_SIZE (1 << 20)

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

/* 0, or another value after a message. */
static int ask_for_times(const struct profile_builder_options *options, struct profile *profile)
{
	struct watched_time *watched = &profile->info.watched;
	struct watched_answer answer = { .own_cpu_ns = 0 };
	ssize_t n = options->watched_fd ? send(options->watched_fd, "", 1, MSG_NOSIGNAL) : 0;

	if (!options->watched_fd)
		return 0;
	if (n == 1)
		do
			n = recv(options->watched_fd, &answer, sizeof(answer), 0);
		while (n < 0 && errno == EINTR);
	if (n != sizeof(answer))
		return message_error(options->command, "nobody wants the profile any more.");
	watched->own_cpu_ns = answer.own_cpu_ns;
	watched->own_memory = answer.own_memory;
	watched->slow_ns = answer.is_slow ? answer.span.end_ns - answer.span.start_ns : 0;
	return watched_time_add(watched, &answer.span) ? message_error_of_memory(options->command)
						       : 0;
}

/* Whatever has to be found with rights is found before they are given up. */
static int prepare(const struct profile_builder_options *options, struct report_options *report,
		   struct parser_sandbox *sandbox)
{
	report_options_init(report, options->command);
	report->path = "-";
	report->files.is_quiet = true;
	report->build.counts_calls = report->build.keeps_rows = true;
	report->build.n_threads = profile_builder_threads();
	report->build.adds_threads = true;
	report->build.n_rows_max = N_ROWS_MAX;
	/* A process without a network fetches nothing. */
	report->files.debuginfod &= options->keeps_rights;
	int err = file_options_open(&report->files, report->command, &report->build.files);
	return err || options->keeps_rights
		       ? err
		       : parser_sandbox_enter(options->command, report->build.files, sandbox);
}

static int build_into(const struct profile_builder_options *options, FILE *out, int control_fd)
{
	struct profile *profile = NULL;
	struct parser_sandbox sandbox = { 0 };
	struct report_options report;
	bool is_damaged = false;

	int err = prepare(options, &report, &sandbox);
	if (!err)
		err = build(&report, control_fd, &profile, &is_damaged);
	if (!err && !options->is_quiet)
		named_profile_note_lacks(&report, profile);
	if (!err)
		err = ask_for_times(options, profile);
	if (!err)
		err = result_file_close(out, options->command, options->output,
					profile_file_write(out, profile));
	profile_destroy(profile);
	file_search_destroy(report.build.files);
	parser_sandbox_leave(&sandbox);
	report_options_deinit(&report);
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
	if (dup2(stream_fd, STDIN_FILENO) < 0)
		return message_error(options->command, "cannot read records: %s.", strerror(errno));
	close(stream_fd);
	return build_into(options, out, control_fd) ? 1 : 0;
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

/* Whether there is one; else errno says why. */
static bool make_link(int stream[2], int control[2])
{
	if (pipe2(stream, O_CLOEXEC))
		return false;
	if (!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control)) {
		fcntl(stream[1], F_SETPIPE_SZ, PIPE_SIZE);
		return true;
	}
	const int err = errno;
	close(stream[0]);
	close(stream[1]);
	errno = err;
	return false;
}

int profile_builder_fork(const char *command, struct builder_link *link_ret)
{
	int stream[2], control[2], err = 0;

	if (!make_link(stream, control))
		return message_error(command,
				     "cannot make a pipe to a process that builds the "
				     "profile: %s.",
				     strerror(errno));
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
	return err;
}

int profile_builder_finish(const char *command, struct builder_link *link, bool is_whole)
{
	int status;
	pid_t pid;

	if (is_whole)
		builder_link_confirm(link->control_fd);
	close(link->stream_fd);
	close(link->control_fd);
	do
		pid = waitpid(link->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return message_error(command,
				     "cannot wait for the process that builds the "
				     "profile: %s.",
				     strerror(errno));
	if (WIFSIGNALED(status))
		return message_error(command,
				     "the process that builds the profile was ended by signal %d "
				     "(%s): there is no profile.",
				     WTERMSIG(status), strsignal(WTERMSIG(status)));
	return WEXITSTATUS(status);
}
