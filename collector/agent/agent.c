#include "collector/agent/agent.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/hash.h"
#include "collector/agent/agent_cost.h"
#include "collector/agent/agent_rate.h"
#include "collector/agent/agent_recorder.h"
#include "collector/agent/agent_window.h"
#include "collector/agent/metrics_file.h"
#include "collector/agent/service_notify.h"
#include "collector/agent/window_merge.h"
#include "collector/command-line/messages.h"
#include "collector/files/profile_builder.h"
#include "collector/record/observing/recording_notes.h"
#include "collector/sandbox/parser_sandbox.h"

/* A recorder that fails again and again is not started more often. */
#define RESTART_NS NSEC_PER_SEC
/* A window that has not ended so long after its time never will: the recorder hangs. */
#define LATE_NS (60 * NSEC_PER_SEC)
/* So many windows may be without their profile when the next one ends. */
#define MAX_ENDED 2
/* While names are found, or windows merged, memory comes and goes: it is looked at so soon, and
 * then after twice as long each time, because to look at all processes takes 0.3 ms. */
#define LOOK_MIN_NS (50 * NSEC_PER_MSEC)
#define LOOK_MAX_NS (2 * NSEC_PER_SEC)
/* So long the end of the agent waits for the last windows to be pushed. */
#define LAST_PUSH_NS (30 * NSEC_PER_SEC)
/* PR_THP_DISABLE_EXCEPT_ADVISED, which older headers lack. */
#define EXCEPT_ADVISED 2
/* Besides those of windows: signals, and the recorder. */
#define N_OTHER_FDS 2

struct agent {
	const struct agent_options *options;
	struct window_folder folder;
	int signal_fd;
	struct agent_recorder recorder;
	uint64_t recorder_ns; /* when it was started */
	uint64_t advance_ns;  /* when a process had last read or finished a window */
	bool has_recorded;    /* a recorder has begun to take samples */
	bool has_had_window;  /* the recorder at hand has ended one */
	uint64_t n_told;      /* samples, by that recorder */
	uint64_t told_ns;     /* up to when the window at hand got them; 0: that was not told yet */
	bool is_ending, has_failed;
	bool is_reloading;            /* SIGHUP came, and the caller does not know */
	bool is_changed;              /* the recorder ends because of other options */
	struct agent_window *windows; /* oldest first; the last one may go on */
	size_t n_windows;
	struct idle_builders idle;
	uint64_t own_cpu_ns;                /* up to the end of the last window */
	uint64_t own_memory;                /* the most that was seen since then, each page once */
	uint64_t most_resident;             /* likewise, pages that processes share several times */
	uint64_t shared;                    /* how much of that was counted again, for @shared_by */
	uint64_t shared_by;                 /* a hash of the processes; 0: not known */
	uint64_t look_ns, look_interval_ns; /* when memory is looked at next; 0: it is still */
	struct window_merge merge;
	bool has_stopped_merging; /* after a failure, which would come again */
	struct push_runs push;
	struct service_notify notify;
	struct agent_metrics metrics;
	uint64_t alive_ns; /* when the service's manager is told next that all goes on */
};

static struct clock_moment present_moment(void)
{
	struct clock_moment moment = { 0, 0 };

	clock_moment_read(CLOCK_MONOTONIC, &moment);
	return moment;
}

static struct agent_window *window_at_hand(const struct agent *agent)
{
	struct agent_window *last = agent->n_windows ? &agent->windows[agent->n_windows - 1] : NULL;

	return last && !last->has_ended ? last : NULL;
}

/* The processes beside this one. Their number; *@pids_ret is the caller's. */
static size_t list_processes(const struct agent *agent, pid_t **pids_ret)
{
	pid_t *pids = calloc(agent->n_windows + agent->idle.n + 3, sizeof(*pids));
	size_t n = 0;

	for (size_t i = 0; pids && i < agent->n_windows; i++)
		pids[n++] = agent->windows[i].builder.pid;
	for (size_t i = 0; pids && i < agent->idle.n; i++)
		pids[n++] = agent->idle.builders[i].pid;
	if (pids && agent->recorder.pid)
		pids[n++] = agent->recorder.pid;
	if (pids && agent->merge.pid)
		pids[n++] = agent->merge.pid;
	if (pids && agent->push.pid)
		pids[n++] = agent->push.pid;
	*pids_ret = pids;
	return n;
}

/* To find out which pages processes share takes the kernel a walk through all of them, so it is
 * done once a window, and when there are other processes: pages that come later are not shared. */
static uint64_t shared_memory(struct agent *agent, const pid_t *pids, size_t n, uint64_t resident)
{
	const uint64_t shared_by = hash_bytes(HASH_START, pids, n * sizeof(*pids));

	if (agent->shared_by != shared_by) {
		const uint64_t once = agent_cost_shared_memory(pids, n);

		agent->shared_by = shared_by;
		agent->shared = once < resident ? resident - once : 0;
	}
	return agent->shared < resident ? agent->shared : resident;
}

static void look_at_memory(struct agent *agent)
{
	_cleanup_free_ pid_t *pids = NULL;
	const size_t n = list_processes(agent, &pids);
	const uint64_t resident = agent_cost_memory(pids, n);

	if (resident <= agent->most_resident)
		return;
	agent->most_resident = resident;
	const uint64_t memory = resident - shared_memory(agent, pids, n, resident);
	if (memory > agent->own_memory)
		agent->own_memory = memory;
}

/* Whether processes do what needs more memory from one moment to the next. */
static bool does_memory_change(const struct agent *agent)
{
	bool does = agent->merge.pid || agent->push.pid;

	for (size_t i = 0; i < agent->n_windows; i++)
		does |= agent->windows[i].has_ended;
	return does;
}

/* Begins with short times whenever a process has begun or ended something. */
static void look_soon(struct agent *agent)
{
	agent->look_interval_ns = LOOK_MIN_NS;
	agent->look_ns = does_memory_change(agent) ? now_ns() + LOOK_MIN_NS : 0;
}

static void keep_looking(struct agent *agent)
{
	const uint64_t now = now_ns();

	if (!agent->look_ns || now < agent->look_ns)
		return;
	look_at_memory(agent);
	if (agent->look_interval_ns < LOOK_MAX_NS)
		agent->look_interval_ns *= 2;
	agent->look_ns = now + agent->look_interval_ns;
}

/* A recorder samples at one rate, which is that of its events. */
static void change_recorder(struct agent *agent)
{
	if (!agent->recorder.pid)
		return;
	agent->is_changed = true;
	kill(agent->recorder.pid, SIGTERM);
}

/* A recorder's first window has the work of its start in it. */
static void keep_limits(struct agent *agent, const struct agent_window *window)
{
	const struct agent_options *options = agent->options;
	const struct agent_usage usage = {
		.span_ns = window->span.end_ns - window->span.start_ns,
		.cpu_ns = window->own_cpu_ns,
		.memory = window->own_memory,
	};
	const uint64_t asked = options->record.options.frequency, before = agent->metrics.rate;
	char size[SIZE_TEXT_MAX];

	if (!agent->has_had_window || agent->is_changed || agent->is_ending) {
		agent->has_had_window = true;
		return;
	}
	agent->metrics.rate = agent_rate_next(&options->limits, &usage, asked, before);
	if (agent->metrics.rate == before)
		return;
	change_recorder(agent);
	if (!options->record.is_quiet)
		message_note("agent",
			     "%" PRIu64 " Hz instead of %" PRIu64
			     ": a window took %.2f%% of a CPU and %s of memory.",
			     agent->metrics.rate, before,
			     100.0 * (double)usage.cpu_ns / (double)usage.span_ns,
			     recording_notes_size(usage.memory, size));
}

/* What was used since the end of the window before is this window's. */
static void end_window(struct agent *agent, const struct clock_moment *end)
{
	struct agent_window *window = window_at_hand(agent);
	_cleanup_free_ pid_t *pids = NULL;
	const size_t n = list_processes(agent, &pids);

	if (!window)
		return;
	const uint64_t own_cpu_ns = agent_cost_cpu_ns(pids, n);
	window->own_cpu_ns = own_cpu_ns - agent->own_cpu_ns;
	look_at_memory(agent);
	window->own_memory = agent->own_memory;
	agent->own_cpu_ns = own_cpu_ns;
	agent->own_memory = agent->most_resident = agent->shared_by = 0;
	agent_window_end(window, end, (int)agent->options->nice);
	agent_window_answer(window);
	keep_limits(agent, window);
}

/* 0, or another value after a message: the recorder gets no process, and ends. */
static int begin_window(struct agent *agent, const struct clock_moment *begin)
{
	struct builder_link link;

	if (array_reserve_one(agent->windows, agent->n_windows))
		return message_error_of_memory("agent");
	struct agent_window *window = &agent->windows[agent->n_windows];
	if (agent_window_begin(window, &agent->folder, begin, &agent->idle,
			       agent->options->record.no_sandbox, &link))
		return 1;
	window->is_slow = agent->metrics.rate < agent->options->record.options.frequency;
	agent->n_windows++;
	/* A recorder that is gone shows by itself. */
	builder_link_supply(agent->recorder.supply_fd, &link);
	close(link.stream_fd);
	close(link.control_fd);
	return 0;
}

static void leave_recorder(struct agent *agent)
{
	if (agent->recorder.supply_fd >= 0)
		close(agent->recorder.supply_fd);
	agent->recorder.supply_fd = -1;
}

static void lose_samples(struct agent *agent, uint64_t n)
{
	if (n)
		message_error("agent", "%" PRIu64 " sample%s lost with their window.", n,
			      n == 1 ? " is" : "s are");
	agent->metrics.n_lost_samples += n;
}

/* Of the window at hand, whose time is over; without one, of a window that was lost before. */
static void take_samples(struct agent *agent, uint64_t n_told)
{
	struct agent_window *window = window_at_hand(agent);
	const uint64_t n = n_told - agent->n_told;

	agent->n_told = n_told;
	if (window)
		window->n_samples += n;
	else
		lose_samples(agent, n);
}

/* The recorder's word came when its samples were with the process, which may be late. */
static struct clock_moment moment_of(uint64_t told_ns)
{
	struct clock_moment moment = present_moment();

	if (told_ns && told_ns < moment.now_ns) {
		moment.unix_ns -= moment.now_ns - told_ns;
		moment.now_ns = told_ns;
	}
	return moment;
}

/* More processes at work would only take memory, and the processors from each other. */
static bool may_renew(const struct agent *agent)
{
	size_t n_ended = 0;

	for (size_t i = 0; i < agent->n_windows; i++)
		n_ended += agent->windows[i].has_ended;
	return n_ended < MAX_ENDED;
}

static int change_window(struct agent *agent)
{
	const struct clock_moment moment = moment_of(agent->told_ns);

	agent->told_ns = 0;
	end_window(agent, &moment);
	return begin_window(agent, &moment);
}

static void take_calls(struct agent *agent)
{
	struct clock_moment moment;
	struct builder_told told;

	for (;;) {
		switch (builder_link_next_call(agent->recorder.supply_fd, &told)) {
		case BUILDER_CALL_NONE:
			return;
		case BUILDER_CALL_RENEW:
			if (change_window(agent)) {
				leave_recorder(agent);
				return;
			}
			break;
		case BUILDER_CALL_MAY:
			builder_link_allow(agent->recorder.supply_fd, may_renew(agent));
			break;
		case BUILDER_CALL_BEGIN:
			agent->has_recorded = true;
			service_notify_send(&agent->notify, SERVICE_READY);
			if (window_at_hand(agent))
				window_at_hand(agent)->begin = moment_of(told.time_ns);
			break;
		case BUILDER_CALL_SAMPLES:
			take_samples(agent, told.n_samples);
			agent->told_ns = told.time_ns;
			break;
		case BUILDER_CALL_END:
			moment = moment_of(agent->told_ns);
			end_window(agent, &moment);
			leave_recorder(agent);
			return;
		}
	}
}

static void start_recorder(struct agent *agent)
{
	int err = agent_recorder_start(agent->options, agent->metrics.rate, &agent->recorder);

	agent->has_had_window = false;
	agent->n_told = agent->told_ns = 0;
	agent->recorder_ns = now_ns();
	agent->metrics.n_recorders += !err;
	if (err) {
		message_error("agent", "cannot start a process that records: %s.", strerror(-err));
		agent->has_failed = !agent->has_recorded;
	}
}

/* One that has never recorded will not do so the next time. */
static void end_recorder(struct agent *agent, int status)
{
	const struct clock_moment now = present_moment();

	end_window(agent, &now);
	leave_recorder(agent);
	agent->recorder.pid = 0;
	if (agent->is_changed)
		agent->recorder_ns = 0; /* at once */
	if (agent->is_ending || agent->is_changed) {
		agent->is_changed = false;
		return;
	}
	if (WIFSIGNALED(status))
		message_error("agent", "the process that records was ended by signal %d (%s).",
			      WTERMSIG(status), strsignal(WTERMSIG(status)));
	agent->has_failed = !agent->has_recorded;
	if (!agent->has_failed)
		message_note("agent", "recording begins again.");
}

static void remove_old(struct agent *agent, const struct window_list *list, uint64_t unix_ns)
{
	const size_t n = ageing_count_removed(&agent->options->ageing, list, unix_ns);
	char text[SIZE_TEXT_MAX];
	uint64_t size = 0;

	for (size_t i = 0; i < n; i++) {
		window_folder_remove(&agent->folder, list->files[i].name);
		size += list->files[i].size;
	}
	agent->metrics.n_removed += n;
	if (n && !agent->options->record.is_quiet)
		message_note("agent", "removed the oldest %zu file%s (%s), up to %s.", n,
			     n == 1 ? "" : "s", recording_notes_size(size, text),
			     list->files[n - 1].name);
}

static void look_at_spool(struct agent *agent)
{
	struct agent_metrics *metrics = &agent->metrics;
	_cleanup_free_ char *spool = push_runs_spool(agent->folder.path);

	metrics->pushes = agent->options->push.url;
	metrics->n_push_failures = agent->push.n_failed;
	metrics->n_not_pushed = agent->push.n_left_out;
	metrics->spool = (struct spool_state){ 0 };
	if (metrics->pushes && spool)
		spool_look(spool, &metrics->spool);
}

static bool is_ending(const struct agent *agent)
{
	return agent->is_ending || agent->has_failed;
}

/* What waits for the run that goes on is taken by the next one, and all that waits by the last. */
static void push(struct agent *agent)
{
	const int err = push_runs_start(&agent->push, &agent->options->push, agent->folder.path,
					now_ns(), is_ending(agent) && !agent->n_windows);

	if (err)
		message_error("agent", "cannot start dendro push: %s.", strerror(-err));
}

static void write_metrics(struct agent *agent)
{
	struct agent_metrics *metrics = &agent->metrics;
	const char *path = agent->options->metrics;
	struct window_list list = { 0 };
	int err = path ? window_folder_list(agent->folder.fd, &list) : 0;

	metrics->own_cpu_ns = agent->own_cpu_ns;
	metrics->n_files = list.n;
	metrics->n_bytes = 0;
	for (size_t i = 0; i < list.n; i++)
		metrics->n_bytes += list.files[i].size;
	window_list_deinit(&list);
	look_at_spool(agent);
	if (path && !err)
		err = metrics_file_write(path, metrics);
	if (err)
		message_error("agent", "cannot write the metrics '%s': %s.", path, strerror(-err));
}

static void start_merge(struct agent *agent, const struct window_file *first, size_t n,
			uint64_t unix_ns)
{
	const struct agent_options *options = agent->options;
	const struct window_merge_options how = {
		.keeps_rights = options->record.no_sandbox,
		.nice = agent_later_nice(options),
		.drops_details = ageing_drops_details(&options->ageing, &first[n - 1], unix_ns),
	};

	window_merge_start(&agent->merge, &agent->folder, first, n, &how);
}

/* Files that are being merged are left alone until they are one. */
static void age(struct agent *agent)
{
	const struct clock_moment now = present_moment();
	struct window_merge *merge = &agent->merge;
	struct window_list list;
	size_t n = 0, first;

	if (merge->pid)
		return;
	int err = merge->is_whole ? window_merge_replace(merge, &agent->folder) : 0;
	if (!err || err == -EWOULDBLOCK)
		err = window_folder_list(agent->folder.fd, &list);
	if (err) {
		message_error("agent", "cannot change '%s': %s.", agent->folder.path,
			      strerror(-err));
		return;
	}
	remove_old(agent, &list, now.unix_ns);
	window_list_deinit(&list);
	if (merge->is_whole || agent->has_stopped_merging || agent->is_ending ||
	    window_folder_list(agent->folder.fd, &list))
		return;
	first = ageing_find_group(&agent->options->ageing, &list, now.unix_ns, &n);
	if (n)
		start_merge(agent, &list.files[first], n, now.unix_ns);
	window_list_deinit(&list);
}

static void end_merge(struct agent *agent, int status)
{
	if (window_merge_end(&agent->merge, &agent->folder, status)) {
		agent->has_stopped_merging = true;
		message_note("agent", "windows are not merged until it is started again.");
	}
	age(agent);
}

static void finish_window(struct agent *agent, size_t index, int status)
{
	struct agent_window *window = &agent->windows[index];

	agent->advance_ns = now_ns();
	/* A process that has ended before its window leaves the recorder nobody to write to. */
	if (!window->has_ended) {
		const struct clock_moment now = present_moment();
		end_window(agent, &now);
	}
	const int err = agent_window_finish(window, &agent->folder, status);
	agent->metrics.n_windows += !err;
	agent->metrics.n_lost_windows += err != 0;
	if (err)
		lose_samples(agent, window->n_samples);
	agent->metrics.own_memory = window->own_memory;
	/* One that has more to name may be finished later than the next. */
	if (!err && window->span.end_ns > agent->metrics.last_window_ns)
		agent->metrics.last_window_ns = window->span.end_ns;
	if (!err && agent->options->push.url)
		push_runs_add(&agent->push, window->kept_name, now_ns());
	agent->n_windows--;
	memmove(window, window + 1, (agent->n_windows - index) * sizeof(*window));
	if (!err)
		age(agent);
	push(agent);
	write_metrics(agent);
}

static void reap(struct agent *agent)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == agent->recorder.pid) {
			end_recorder(agent, status);
			continue;
		}
		if (pid == agent->merge.pid) {
			end_merge(agent, status);
			continue;
		}
		if (pid == agent->push.pid) {
			push_runs_end(&agent->push, status);
			push(agent);
			write_metrics(agent);
			continue;
		}
		for (size_t i = 0; i < agent->n_windows; i++) {
			if (agent->windows[i].builder.pid == pid) {
				agent_builder_end(&agent->windows[i].builder);
				finish_window(agent, i, status);
				break;
			}
		}
		idle_builders_forget(&agent->idle, pid);
	}
}

static void take_signals(struct agent *agent)
{
	struct signalfd_siginfo info;

	while (read(agent->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			reap(agent);
		} else if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT) {
			agent->is_ending = true;
			push_runs_hurry(&agent->push);
			service_notify_send(&agent->notify, SERVICE_STOPPING);
			if (agent->recorder.pid)
				kill(agent->recorder.pid, SIGTERM);
			push(agent);
		} else if (info.ssi_signo == SIGHUP) {
			agent->is_reloading = !agent->is_ending;
		}
	}
}

/* What the process of a window says. */
static void take_word(struct agent *agent, size_t index)
{
	struct agent_window *window = &agent->windows[index];
	struct agent_builder builder = window->builder;

	switch (profile_builder_hear(builder.task_fd)) {
	case BUILDER_ASKS:
		window->is_asking = true;
		window->has_read = true;
		agent->advance_ns = now_ns();
		agent_window_answer(window);
		return;
	case BUILDER_DONE:
		finish_window(agent, index, 0);
		idle_builders_take(&agent->idle, &builder);
		return;
	case BUILDER_FAILED:
		finish_window(agent, index, W_EXITCODE(1, 0));
		idle_builders_take(&agent->idle, &builder);
		return;
	case BUILDER_GONE: /* SIGCHLD tells the rest */
		agent_builder_end(&window->builder);
		return;
	case BUILDER_SILENT:
		return;
	}
}

static uint64_t restart_ns(const struct agent *agent)
{
	return agent->recorder.pid || agent->is_ending || agent->has_failed
		       ? UINT64_MAX
		       : agent->recorder_ns + RESTART_NS;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool is_one_reading(const struct agent *agent)
{
	for (size_t i = 0; i < agent->n_windows; i++) {
		if (agent->windows[i].has_ended && !agent->windows[i].has_read)
			return true;
	}
	return false;
}

/* The window at hand goes on while a process reads the one before, and while too many are at work:
 * whether they hang is found out by itself. */
static uint64_t overdue_ns(const struct agent *agent, const struct agent_window *window)
{
	const uint64_t time_ns = agent->options->window_ns;

	if (is_one_reading(agent) || !may_renew(agent))
		return UINT64_MAX;
	return later(window->begin.now_ns, agent->advance_ns) + time_ns + time_ns / 8 + LATE_NS;
}

static int timeout_ms(const struct agent *agent)
{
	const uint64_t now = now_ns();
	uint64_t due = earlier(restart_ns(agent), agent->alive_ns);

	if (agent->look_ns)
		due = earlier(due, agent->look_ns);
	for (size_t i = 0; i < agent->n_windows; i++) {
		const struct agent_window *window = &agent->windows[i];
		const uint64_t check =
			window->has_ended ? window->check.next_ns : overdue_ns(agent, window);

		due = earlier(due, check > now ? check : now + RESTART_NS);
	}
	if (due == UINT64_MAX)
		return -1;
	const uint64_t ms = due > now ? (due - now) / NSEC_PER_MSEC + 1 : 0;
	return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* A recorder that hangs does not begin the next window. */
static bool is_overdue(const struct agent *agent, uint64_t now)
{
	const struct agent_window *window = window_at_hand(agent);

	return window && now > overdue_ns(agent, window);
}

/* Where all that builds profiles hangs, the recorder does, too, when nobody reads what it writes.
 */
static void end_hanging(struct agent *agent)
{
	const uint64_t now = now_ns();

	if (is_overdue(agent, now) && agent->recorder.pid)
		kill(agent->recorder.pid, SIGKILL);
	for (size_t i = 0; i < agent->n_windows; i++)
		agent_window_end_hanging(&agent->windows[i], now);
}

static void tell_alive(struct agent *agent)
{
	const uint64_t now = now_ns();

	if (now < agent->alive_ns)
		return;
	agent->alive_ns = now + agent->notify.interval_ns;
	if (!is_overdue(agent, now))
		service_notify_send(&agent->notify, SERVICE_ALIVE);
}

/* 0 or -errno. */
static int wait_and_handle(struct agent *agent)
{
	const size_t n = agent->n_windows;
	_cleanup_free_ struct pollfd *fds = calloc(n + N_OTHER_FDS, sizeof(*fds));

	if (!fds)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){ agent->windows[i].is_asking
						  ? -1
						  : agent->windows[i].builder.task_fd,
					  POLLIN, 0 };
	fds[n] = (struct pollfd){ agent->recorder.supply_fd, POLLIN, 0 };
	fds[n + 1] = (struct pollfd){ agent->signal_fd, POLLIN, 0 };
	const int n_ready = poll(fds, n + N_OTHER_FDS, timeout_ms(agent));
	if (n_ready < 0 && errno != EINTR)
		return -errno;
	if (n_ready)
		look_at_memory(agent);
	else
		keep_looking(agent);
	/* One that is finished leaves the list; those before it keep their places. */
	for (size_t i = n; i-- > 0;) {
		if (fds[i].revents)
			take_word(agent, i);
	}
	if (fds[n].revents)
		take_calls(agent);
	if (fds[n + 1].revents)
		take_signals(agent);
	if (n_ready)
		look_soon(agent);
	end_hanging(agent);
	return 0;
}

/* What is pushed last may take a while, and goes on without the agent. */
static bool is_pushing(const struct agent *agent)
{
	return agent->push.pid && now_ns() < agent->push.started_ns + LAST_PUSH_NS;
}

static bool is_done(const struct agent *agent)
{
	return is_ending(agent) && !agent->recorder.pid && !agent->n_windows && !is_pushing(agent);
}

/* What waits is pushed beside what is being pushed: the spool takes one process after the other. */
static void leave_pushing(struct agent *agent)
{
	const bool was_pushing = agent->push.pid;

	agent->push.pid = 0;
	push(agent);
	if (!was_pushing && !agent->push.pid)
		return;
	message_note("agent", "the last profiles are still being pushed, by processes that go on.");
}

int agent_run(struct agent *agent)
{
	int err = 0;

	while (!err && !is_done(agent)) {
		if (agent->is_reloading) {
			agent->is_reloading = false;
			return AGENT_RELOAD;
		}
		if (now_ns() >= restart_ns(agent))
			start_recorder(agent);
		tell_alive(agent);
		err = wait_and_handle(agent);
	}
	if (err)
		return message_error("agent", "cannot go on: %s.", strerror(-err));
	leave_pushing(agent);
	return agent->has_failed;
}

void agent_change(struct agent *agent, const struct agent_options *options)
{
	agent->options = options;
	agent->metrics.rate = options->record.options.frequency;
	agent->has_stopped_merging = false;
	change_recorder(agent);
}

static int open_signals(struct agent *agent)
{
	agent->signal_fd =
		signalfd(-1, &agent->options->record.signals.caught, SFD_CLOEXEC | SFD_NONBLOCK);
	return agent->signal_fd < 0
		       ? message_error("agent", "cannot catch signals: %s.", strerror(errno))
		       : 0;
}

static int open_notify(struct agent *agent)
{
	int err = service_notify_open(&agent->notify);

	agent->alive_ns = agent->notify.interval_ns ? 0 : UINT64_MAX;
	return err ? message_error("agent", "cannot reach the socket of NOTIFY_SOCKET: %s.",
				   strerror(-err))
		   : 0;
}

static int open_all(struct agent *agent)
{
	_cleanup_free_ char *error = NULL;

	if (window_folder_open(&agent->folder, agent->options->directory, &error))
		return error ? message_error("agent", "%s", error)
			     : message_error_of_memory("agent");
	if (agent->folder.n_cleaned)
		message_note("agent", "removed %zu unfinished file%s of an agent that was killed.",
			     agent->folder.n_cleaned, agent->folder.n_cleaned == 1 ? "" : "s");
	window_merge_recover(&agent->folder);
	int status = open_notify(agent);
	return status ? status : open_signals(agent);
}

/*
 * From here on, this process and its children get huge pages for memory that asks for them
 * (cct/system/huge_pages.h) alone, and where the kernel is older than 6.18, for none. Where all
 * programs get them, as on Debian, each heap that is begun would have 2 MiB.
 */
static void restrict_huge_pages(void)
{
	if (prctl(PR_SET_THP_DISABLE, 1, EXCEPT_ADVISED, 0, 0))
		prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

int agent_create(const struct agent_options *options, struct agent **agent_ret)
{
	struct agent *agent = malloc(sizeof(*agent));

	if (!agent)
		return message_error_of_memory("agent");
	*agent = (struct agent){ .options = options,
				 .folder = { .fd = -1, .lock_fd = -1 },
				 .recorder = { 0, -1 },
				 .signal_fd = -1,
				 .merge = { .fd = -1 },
				 .notify = { .fd = -1 },
				 .metrics = { .rate = options->record.options.frequency } };
	restrict_huge_pages();
	int status = open_all(agent);
	if (!status && !options->record.no_sandbox && !options->record.is_quiet)
		parser_sandbox_note_lacks("agent");
	if (status)
		agent_destroy(agent);
	else
		*agent_ret = agent;
	return status;
}

void agent_destroy(struct agent *agent)
{
	if (!agent)
		return;
	if (agent->signal_fd >= 0)
		close(agent->signal_fd);
	window_merge_cancel(&agent->merge, &agent->folder);
	idle_builders_end(&agent->idle);
	service_notify_close(&agent->notify);
	window_folder_close(&agent->folder);
	free(agent->windows);
	free(agent);
}
