#include "collector/record/follow/follow_process.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "collector/record/follow/follow_evaluation.h"
#include "perf/counters/follow_program.h"

/* Requests that wait: of whole copies of stacks, about 60. */
#define SOCKET_SIZE (4 << 20)
/* With real-time priority it may compute for so long at a stretch, in us, and exceed that so often,
 * before it gets a usual one for good: debug information may be large, or malicious. */
#define STRETCH_US      50000
#define N_STRETCHES_MAX 20

struct message {
	struct follow_request request;
	uint64_t rest[FOLLOW_REGS_MAX + MEMORY_RECORD_SIZE_MAX / sizeof(uint64_t) +
		      FOLLOW_STACK_MAX / sizeof(uint64_t) + 2];
};

static volatile sig_atomic_t n_stretches;

/* SIGXCPU: what the recorder and the programs need the CPU for goes first. */
static void lower_priority(int signal_number)
{
	const struct sched_param param = { 0 };

	(void)signal_number;
	n_stretches++;
	sched_setscheduler(0, SCHED_OTHER, &param);
}

static void raise_priority(void)
{
	const struct sched_param param = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_FIFO, &param);
}

static void limit_stretches(void)
{
	const struct rlimit limit = { STRETCH_US, RLIM_INFINITY };
	const struct sigaction action = { .sa_handler = lower_priority, .sa_flags = SA_RESTART };
	sigset_t unblocked;

	sigemptyset(&unblocked);
	sigaddset(&unblocked, SIGXCPU);
	/* Without the limit, no real-time priority. */
	if (!sigaction(SIGXCPU, &action, NULL) && !sigprocmask(SIG_UNBLOCK, &unblocked, NULL) &&
	    !setrlimit(RLIMIT_RTTIME, &limit))
		raise_priority();
}

/* false: it is not as the recorder sends them. */
static bool is_sound(const struct message *message, size_t size, size_t *n_regs_ret)
{
	const struct follow_request *request = &message->request;
	const size_t n_regs = (size_t)__builtin_popcountll(request->mask);

	*n_regs_ret = n_regs;
	return size >= sizeof(*request) && size == sizeof(*request) + n_regs * sizeof(uint64_t) +
							   request->memory_size +
							   request->stack_size;
}

static void answer(struct follow_evaluation *evaluation, const struct message *message, size_t size,
		   int fd)
{
	static struct follow_answer_message result;
	size_t n_regs;

	if (!is_sound(message, size, &n_regs))
		return;
	const uint8_t *memory = (const uint8_t *)(message->rest + n_regs);
	follow_evaluation_answer(evaluation, &message->request, message->rest,
				 message->request.memory_size ? (const void *)memory : NULL,
				 memory + message->request.memory_size, &result);
	send(fd, &result, sizeof(result.answer) + result.answer.size, MSG_NOSIGNAL);
}

static _Noreturn void run(const struct follow_subjects *subjects, int rules_map, int fd)
{
	struct follow_evaluation *evaluation = follow_evaluation_create(subjects, rules_map);
	static struct message message;
	sig_atomic_t n_seen = 0;
	ssize_t n;

	if (!evaluation)
		_exit(1);
	limit_stretches();
	while ((n = recv(fd, &message, sizeof(message), 0)) != 0) {
		if (n < 0 && errno != EINTR)
			_exit(1);
		if (n > 0)
			answer(evaluation, &message, (size_t)n, fd);
		if (n_seen == n_stretches)
			continue;
		n_seen = n_stretches;
		if (n_seen < N_STRETCHES_MAX)
			raise_priority();
	}
	_exit(0);
}

static void enlarge(int fd)
{
	const int size = SOCKET_SIZE;

	/* Root may exceed the limit of the machine. */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

int follow_process_start(const struct follow_subjects *subjects, struct follow_link *link_ret)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	enlarge(ends[0]);
	const int rules_map = follow_rules_create();
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		run(subjects, rules_map, ends[1]);
	}
	const int err = pid < 0 ? -errno : 0;
	close(ends[1]);
	if (err) {
		if (rules_map >= 0)
			close(rules_map);
		close(ends[0]);
		return err;
	}
	*link_ret = (struct follow_link){
		.pid = pid, .fd = ends[0], .subjects = subjects, .rules_map = rules_map
	};
	return 0;
}

int follow_process_finish(struct follow_link *link)
{
	int status = 0;
	pid_t pid;

	pid = waitpid(link->pid, &status, WNOHANG);
	close(link->fd);
	cleanup_close(&link->rules_map);
	if (pid == link->pid)
		return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	/* It may be busy for long, with something that nobody waits for any more. */
	kill(link->pid, SIGKILL);
	do
		pid = waitpid(link->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	return 0;
}
