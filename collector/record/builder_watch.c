#include "collector/record/builder_watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/clock.h"

/* In a row: after a stop of both processes, as by ^Z, the first interval is over at once. */
#define SILENT_INTERVALS 2

struct builder_watch {
	pid_t pid;
	int pid_fd; /* no other process that gets its number is meant */
	int stream_fd;
	uint64_t interval_ns;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* With the lock held: */
	bool has_stream, is_over;
	bool has_killed;
};

static uint64_t cpu_time_ns(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_nsec;
}

static bool has_work(const struct builder_watch *watch)
{
	int n = 0;

	return !watch->has_stream || (!ioctl(watch->stream_fd, FIONREAD, &n) && n > 0);
}

/* With the lock held. Whether it is over. */
static bool wait_interval(struct builder_watch *watch)
{
	const uint64_t end_ns = now_ns() + watch->interval_ns;
	const struct timespec end = {
		.tv_sec = (time_t)(end_ns / NSEC_PER_SEC),
		.tv_nsec = (long)(end_ns % NSEC_PER_SEC),
	};

	while (!watch->is_over && now_ns() < end_ns)
		pthread_cond_timedwait(&watch->changed, &watch->lock, &end);
	return watch->is_over;
}

static void *run(void *arg)
{
	struct builder_watch *watch = arg;
	uint64_t last_ns = 0;
	unsigned n_silent = 0;
	bool had_work = false;

	pthread_mutex_lock(&watch->lock);
	while (!wait_interval(watch)) {
		const uint64_t cpu_ns = cpu_time_ns(watch->pid);

		n_silent = had_work && cpu_ns == last_ns ? n_silent + 1 : 0;
		had_work = has_work(watch);
		last_ns = cpu_ns;
		if (n_silent < SILENT_INTERVALS || !had_work)
			continue;
		watch->has_killed =
			syscall(SYS_pidfd_send_signal, watch->pid_fd, SIGKILL, NULL, 0) == 0;
		break;
	}
	pthread_mutex_unlock(&watch->lock);
	return NULL;
}

static bool start_thread(struct builder_watch *watch)
{
	pthread_condattr_t clock;

	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&watch->changed, &clock);
	pthread_condattr_destroy(&clock);
	pthread_mutex_init(&watch->lock, NULL);
	return pthread_create(&watch->thread, NULL, run, watch) == 0;
}

static void destroy(struct builder_watch *watch)
{
	pthread_cond_destroy(&watch->changed);
	pthread_mutex_destroy(&watch->lock);
	close(watch->pid_fd);
	free(watch);
}

struct builder_watch *builder_watch_start(pid_t pid, int stream_fd, uint64_t interval_ns)
{
	struct builder_watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return NULL;
	watch->pid = pid;
	watch->stream_fd = stream_fd;
	watch->interval_ns = interval_ns;
	watch->has_stream = true;
	watch->pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (watch->pid_fd < 0) {
		free(watch);
		return NULL;
	}
	if (!start_thread(watch)) {
		destroy(watch);
		return NULL;
	}
	return watch;
}

void builder_watch_end_stream(struct builder_watch *watch)
{
	if (!watch)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->has_stream = false;
	pthread_mutex_unlock(&watch->lock);
}

bool builder_watch_stop(struct builder_watch *watch)
{
	if (!watch)
		return false;
	pthread_mutex_lock(&watch->lock);
	watch->is_over = true;
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->lock);
	pthread_join(watch->thread, NULL);
	const bool has_killed = watch->has_killed;
	destroy(watch);
	return has_killed;
}
