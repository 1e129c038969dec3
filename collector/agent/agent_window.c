#include "collector/agent/agent_window.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/clock.h"
#include "collector/agent/agent_cost.h"
#include "collector/command-line/messages.h"
#include "collector/files/profile_builder.h"

#define COMMAND "agent"
/* While it finds names, for which nobody waits: others go before it. */
/* The clocks differ by no more in a window, unless somebody sets the time. */
#define CLOCKS_DIFFER_NS NSEC_PER_SEC

/* Without a file there is no profile, but recording goes on. */
static int create_file(struct agent_window *window, struct window_folder *folder)
{
	window->file_fd = window_folder_create(folder, window->name);
	if (window->file_fd >= 0)
		return 0;
	message_error(COMMAND, "cannot write into '%s': %s. This window will be lost.",
		      folder->path, strerror(-window->file_fd));
	window->name[0] = '\0';
	window->file_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return window->file_fd < 0 ? 1 : 0;
}

int agent_window_begin(struct agent_window *window, struct window_folder *folder,
		       const struct clock_moment *begin, struct idle_builders *idle,
		       bool keeps_rights, struct builder_link *link_ret)
{
	int stream[2] = { -1, -1 }, control[2] = { -1, -1 };

	*window = (struct agent_window){ .begin = *begin };
	if (create_file(window, folder))
		return 1;
	int err = profile_builder_make_link(COMMAND, stream, control);
	if (!err) {
		err = idle_builders_give(idle, keeps_rights, stream[0], control[0], window->file_fd,
					 &window->builder);
		close(stream[0]);
		close(control[0]);
	}
	if (err) {
		close(window->file_fd);
		return err;
	}
	*link_ret = (struct builder_link){ .pid = window->builder.pid,
					   .stream_fd = stream[1],
					   .control_fd = control[1] };
	return 0;
}

/* The next window begins where this one ends, by the time of day; where that was set meanwhile,
 * this one is as long as it took. */
void agent_window_end(struct agent_window *window, const struct clock_moment *end, int nice)
{
	const uint64_t end_ns = window->begin.unix_ns + (end->now_ns - window->begin.now_ns);
	const uint64_t differ_ns =
		end->unix_ns > end_ns ? end->unix_ns - end_ns : end_ns - end->unix_ns;

	setpriority(PRIO_PROCESS, (id_t)window->builder.pid, nice);
	window->has_ended = true;
	hang_check_start(&window->check, now_ns(), agent_cost_of_process(window->builder.pid));
	window->span = (struct time_span){
		window->begin.unix_ns,
		differ_ns < CLOCKS_DIFFER_NS ? end->unix_ns : end_ns,
	};
	if (window->span.end_ns <= window->span.start_ns)
		window->span.end_ns = window->span.start_ns + 1;
}

void agent_window_end_hanging(struct agent_window *window, uint64_t now_ns)
{
	if (!window->has_ended ||
	    !hang_check_hangs(&window->check, now_ns, agent_cost_of_process(window->builder.pid)))
		return;
	message_error(COMMAND, "the process that builds the profile hangs.");
	kill(window->builder.pid, SIGKILL);
}

void agent_window_answer(struct agent_window *window)
{
	const struct watched_answer answer = { window->span, window->own_cpu_ns, window->own_memory,
					       window->is_slow };

	if (!window->is_asking || !window->has_ended)
		return;
	window->is_asking = false;
	profile_builder_answer(window->builder.task_fd, &answer);
}

static int complain(const struct agent_window *window, int status)
{
	if (WIFSIGNALED(status))
		return message_error(COMMAND,
				     "the process that builds the profile was ended by signal %d "
				     "(%s): this window is lost.",
				     WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (window->name[0])
		return message_error(COMMAND, "there is no profile of this window: it is lost.");
	return 1;
}

int agent_window_finish(struct agent_window *window, struct window_folder *folder, int status)
{
	const bool is_whole = WIFEXITED(status) && !WEXITSTATUS(status) && window->name[0];
	int err = is_whole ? window_folder_keep(folder, window->file_fd, window->name,
						&window->span, window->kept_name)
			   : 0;

	if (err)
		message_error(COMMAND, "cannot write into '%s': %s. This window is lost.",
			      folder->path, strerror(-err));
	else if (!is_whole)
		err = complain(window, status);
	if (err && window->name[0])
		window_folder_remove(folder, window->name);
	close(window->file_fd);
	return err;
}
