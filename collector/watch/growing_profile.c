#include "collector/watch/growing_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/broker/descriptor_message.h"
#include "collector/sandbox/child_process.h"
#include "collector/watch/growing_server.h"

struct growing_profile {
	pid_t pid;
	int socket_fd;
	int end_fd;
	uint64_t recent_ns; /* of snapshots; 0: since the start */
	uint64_t cpu_ns;
	struct growing_answer answer; /* the last one */
	bool is_gone;
};

int growing_profile_start(struct report_options *report, int stream_fd, int control_fd,
			  struct growing_profile **growing_ret)
{
	struct growing_profile *growing = calloc(1, sizeof(*growing));
	int ends[2];

	if (!growing || pipe2(ends, O_CLOEXEC)) {
		const int err = growing ? -errno : -ENOMEM;

		free(growing);
		return err;
	}
	growing->pid = child_process_fork_linked(&growing->socket_fd);
	if (growing->pid == 0) {
		const struct growing_server server = { stream_fd, control_fd, growing->socket_fd,
						       ends[1] };

		growing_server_run(report, &server);
	}
	close(ends[1]);
	growing->end_fd = ends[0];
	if (growing->pid < 0) {
		const int err = growing->pid;

		close(ends[0]);
		free(growing);
		return err;
	}
	*growing_ret = growing;
	return 0;
}

/* Waits for the process, which has ended, and says how. */
static void note_end(struct growing_profile *growing)
{
	int status = 0;

	while (growing->pid && waitpid(growing->pid, &status, 0) < 0 && errno == EINTR)
		;
	growing->pid = 0;
	growing->is_gone = true;
	if (WIFSIGNALED(status))
		snprintf(growing->answer.error, sizeof(growing->answer.error),
			 "the process that reads the records was ended by signal %d (%s).",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/* Asks, with a descriptor along or -1. 0 or -errno; of a process that is gone, -EAGAIN: there are
 * no samples any more. */
static int ask(struct growing_profile *growing, enum growing_request_kind kind, int fd)
{
	struct growing_request request = { .kind = kind, .recent_ns = growing->recent_ns };
	struct growing_answer *answer = &growing->answer;
	int fds[DESCRIPTOR_MESSAGE_MAX];
	size_t n_fds = 0;

	if (growing->is_gone)
		return -EAGAIN;
	int err = descriptor_message_send(
		growing->socket_fd, &(struct iovec){ &request, sizeof(request) }, &fd, fd >= 0);
	if (!err)
		err = descriptor_message_receive(growing->socket_fd,
						 &(struct iovec){ answer, sizeof(*answer) }, fds,
						 &n_fds);
	while (n_fds)
		close(fds[--n_fds]);
	if (err) {
		note_end(growing);
		return -EAGAIN;
	}
	answer->error[GROWING_ERROR_MAX - 1] = '\0';
	growing->cpu_ns += answer->cpu_ns;
	return answer->err;
}

int growing_profile_finish(struct growing_profile *growing)
{
	const int err = ask(growing, GROWING_FINISH, -1);

	return growing->is_gone ? 0 : err;
}

void growing_profile_destroy(struct growing_profile *growing)
{
	if (!growing)
		return;
	close(growing->socket_fd);
	if (!growing->is_gone)
		note_end(growing);
	close(growing->end_fd);
	free(growing);
}

pid_t growing_profile_pid(const struct growing_profile *growing)
{
	return growing->pid;
}

uint64_t growing_profile_cpu_ns(const struct growing_profile *growing)
{
	return growing->cpu_ns;
}

int growing_profile_end_fd(const struct growing_profile *growing)
{
	return growing->end_fd;
}

/* The byte stays in the pipe. */
bool growing_profile_has_ended(const struct growing_profile *growing)
{
	struct pollfd end = { growing->end_fd, POLLIN, 0 };

	return growing->is_gone || poll(&end, 1, 0) > 0;
}

bool growing_profile_has_begun(struct growing_profile *growing)
{
	ask(growing, GROWING_STATE, -1);
	return growing->answer.has_begun;
}

const char *growing_profile_error(struct growing_profile *growing)
{
	ask(growing, GROWING_STATE, -1);
	return *growing->answer.error ? growing->answer.error : NULL;
}

int growing_profile_write(struct growing_profile *growing, FILE *file)
{
	return ask(growing, GROWING_WRITE, fileno(file));
}

void growing_profile_show_recent(struct growing_profile *growing, uint64_t recent_ns)
{
	growing->recent_ns = recent_ns;
}
