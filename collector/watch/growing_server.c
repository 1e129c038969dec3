#include "collector/watch/growing_server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "cct/broker/descriptor_message.h"
#include "collector/command-line/messages.h"
#include "collector/sandbox/child_process.h"
#include "collector/sandbox/parser_sandbox.h"
#include "collector/watch/growing_build.h"
#include "collector/watch/own_cost.h"

/* The terminal, and what is shown, are the other process's. */
static void take_descriptors(const struct growing_server *server)
{
	const int kept[] = { server->control_fd, server->socket_fd, server->end_fd };
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(server->stream_fd, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	child_process_keep(kept, sizeof(kept) / sizeof(kept[0]));
	signal(SIGINT, SIG_IGN); /* it ends with the stream, or with the other process */
	prctl(PR_SET_NAME, "dendro build");
}

/* Into a file that is closed then. */
static int write_snapshot(struct growing_build *build, uint64_t recent_ns, int fd)
{
	FILE *out = fdopen(fd, "w");

	if (!out) {
		close(fd);
		return -ENOMEM;
	}
	int err = growing_build_write(build, recent_ns, out);
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

/* @fd: what was sent along, or -1. */
static int act(const struct growing_server *server, struct growing_build *build,
	       const struct growing_request *request, int fd)
{
	if (request->kind == GROWING_WRITE && fd >= 0)
		return write_snapshot(build, request->recent_ns, fd);
	if (fd >= 0)
		close(fd);
	if (request->kind == GROWING_FINISH)
		return growing_build_finish(build, server->control_fd);
	return request->kind == GROWING_STATE ? 0 : -EINVAL;
}

static void answer_requests(const struct growing_server *server, struct growing_build *build)
{
	struct growing_request request;
	int fds[DESCRIPTOR_MESSAGE_MAX];
	size_t n_fds;
	int err = 0;

	while (!err && !descriptor_message_receive(server->socket_fd,
						   &(struct iovec){ &request, sizeof(request) },
						   fds, &n_fds)) {
		struct growing_answer answer = { .err = 0 };
		const uint64_t before_ns = own_cost_of_thread_ns();

		while (n_fds > 1)
			close(fds[--n_fds]);
		answer.err = act(server, build, &request, n_fds ? fds[0] : -1);
		answer.has_begun = growing_build_has_begun(build);
		const char *error = growing_build_error(build);
		snprintf(answer.error, sizeof(answer.error), "%s", error ? error : "");
		answer.cpu_ns = own_cost_of_thread_ns() - before_ns;
		err = descriptor_message_send(server->socket_fd,
					      &(struct iovec){ &answer, sizeof(answer) }, NULL, 0);
	}
}

static int serve(struct report_options *report, const struct growing_server *server)
{
	struct growing_build *build;
	int err = growing_build_start(report, server->end_fd, &build);

	if (err)
		return message_error(report->command, "cannot start a thread: %s.", strerror(-err));
	answer_requests(server, build);
	growing_build_destroy(build);
	return 0;
}

_Noreturn void growing_server_run(struct report_options *report,
				  const struct growing_server *server)
{
	struct parser_sandbox sandbox = { 0 };

	take_descriptors(server);
	int err = file_options_open(&report->files, report->command, &report->build.files);
	if (!err && !report->files.keeps_rights)
		err = parser_sandbox_enter(report->command, report->build.files, &sandbox);
	if (!err)
		err = serve(report, server);
	file_search_destroy(report->build.files);
	parser_sandbox_leave(&sandbox);
	_exit(err ? 1 : 0);
}
