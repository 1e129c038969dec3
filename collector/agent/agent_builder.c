#include "collector/agent/agent_builder.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/agent/agent_cost.h"
#include "collector/command-line/messages.h"
#include "collector/files/profile_builder.h"
#include "collector/sandbox/child_process.h"

#define COMMAND "agent"
/* Two take turns, so with windows of a minute each is replaced once an hour: it finds debug files
 * that were installed meanwhile. */
#define WINDOWS_MAX 30
/* Without a window: 8 to 14 MiB, with the names, and up to 4 MiB of unwind information, of what
 * several compilers and test suites ran. */
#define IDLE_MEMORY_MAX ((uint64_t)20 << 20)

static _Noreturn void run(bool keeps_rights, int task_fd)
{
	const struct profile_builder_options options = {
		.command = COMMAND,
		.output = "the window's profile",
		.is_quiet = true,
		.keeps_rights = keeps_rights,
	};

	prctl(PR_SET_NAME, "dendro build");
	child_process_keep(&task_fd, 1);
	_exit(profile_builder_serve(&options, task_fd));
}

static int start(bool keeps_rights, struct agent_builder *builder_ret)
{
	int end = -1;
	const pid_t pid = child_process_fork_linked(&end);

	if (pid < 0)
		return message_error(COMMAND, "cannot start a process that builds the profile: %s.",
				     strerror(-pid));
	if (pid == 0)
		run(keeps_rights, end);
	*builder_ret = (struct agent_builder){ pid, end, keeps_rights, 0 };
	return 0;
}

void agent_builder_end(struct agent_builder *builder)
{
	if (builder->pid && builder->task_fd >= 0)
		close(builder->task_fd);
	builder->task_fd = -1;
}

static void end_at(struct idle_builders *idle, size_t i)
{
	agent_builder_end(&idle->builders[i]);
	idle->n--;
	memmove(&idle->builders[i], &idle->builders[i + 1],
		(idle->n - i) * sizeof(idle->builders[0]));
}

int idle_builders_give(struct idle_builders *idle, bool keeps_rights, int stream_fd, int control_fd,
		       int file_fd, struct agent_builder *builder_ret)
{
	const int usual_nice = getpriority(PRIO_PROCESS, 0);
	struct agent_builder builder = { .pid = 0 };

	while (idle->n) {
		builder = idle->builders[0];
		/* While it found the last window's names, others went before it. */
		setpriority(PRIO_PROCESS, (id_t)builder.pid, usual_nice);
		/* One that has ended, or has other rights, is not to have it. */
		if (builder.keeps_rights == keeps_rights &&
		    !profile_builder_give(builder.task_fd, stream_fd, control_fd, file_fd)) {
			idle->builders[0].task_fd = -1;
			end_at(idle, 0);
			builder.n_windows++;
			*builder_ret = builder;
			return 0;
		}
		end_at(idle, 0);
	}
	if (start(keeps_rights, &builder))
		return 1;
	const int err = profile_builder_give(builder.task_fd, stream_fd, control_fd, file_fd);
	if (err) {
		agent_builder_end(&builder);
		return message_error(COMMAND, "the process that builds the profile is gone: %s.",
				     strerror(-err));
	}
	builder.n_windows = 1;
	*builder_ret = builder;
	return 0;
}

void idle_builders_take(struct idle_builders *idle, struct agent_builder *builder)
{
	const bool is_used_up = builder->n_windows >= WINDOWS_MAX ||
				agent_cost_of_memory(builder->pid) > IDLE_MEMORY_MAX;

	if (is_used_up || idle->n == IDLE_BUILDERS_MAX)
		agent_builder_end(builder);
	else
		idle->builders[idle->n++] = *builder;
}

void idle_builders_forget(struct idle_builders *idle, pid_t pid)
{
	for (size_t i = 0; i < idle->n; i++) {
		if (idle->builders[i].pid == pid) {
			end_at(idle, i);
			return;
		}
	}
}

void idle_builders_end(struct idle_builders *idle)
{
	while (idle->n) {
		const pid_t pid = idle->builders[0].pid;

		end_at(idle, 0);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}
