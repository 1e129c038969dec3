#include "collector/files/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/clock.h"
#include "collector/command-line/messages.h"

#define FIRST_MS      500 /* before this, nothing is shown */
#define STEP_MS       200
#define DEFAULT_WIDTH 80
#define LINE_MAX      256
#define BAR_MIN       10
#define BAR_MAX       40
#define ERASE         "\r" MESSAGE_ERASE

struct progress {
	struct progress_title title;
	const struct work_done *work; /* NULL: what the title says is not counted */
	uint64_t start_ns;
	struct progress_title next_title;
	const struct work_done *next_work; /* NULL: none follows */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t has_ended;
	bool is_over, is_shown;
};

/* -- the line ------------------------------------------------------------------------------- */

static void write_amount(const struct progress_title *title, double amount, char *text, size_t size)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;

	if (title->things) {
		snprintf(text, size, "%.0f %s", amount, title->things);
		return;
	}
	for (; amount >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		amount /= 1024;
	snprintf(text, size, "%.*f %s", amount < 10 && unit ? 1 : 0, amount, units[unit]);
}

static void write_left(uint64_t seconds, char *text, size_t size)
{
	if (seconds < 60)
		snprintf(text, size, "%" PRIu64 " s left", seconds);
	else
		snprintf(text, size, "%" PRIu64 " min %" PRIu64 " s left", seconds / 60,
			 seconds % 60);
}

static void write_bar(double share, unsigned columns, char *text)
{
	const unsigned n = (unsigned)(share * columns);

	for (unsigned i = 0; i < columns; i++)
		text[i] = i < n ? '#' : ' ';
	text[columns] = '\0';
}

/* The bar gets the columns that are left; in few columns there is none. */
static void write_whole(const char *start, double share, const char *end, unsigned width,
			char *text, size_t size)
{
	const unsigned used = (unsigned)(strlen(start) + strlen(end)) + strlen(" 100 % [] ");
	unsigned columns = width > used ? width - used : 0;
	char bar[BAR_MAX + 1] = "";

	columns = columns > BAR_MAX ? BAR_MAX : columns;
	if (columns >= BAR_MIN)
		write_bar(share, columns, bar);
	snprintf(text, size, "%s %d %%%s%s%s %s", start, (int)(share * 100), *bar ? " [" : "", bar,
		 *bar ? "]" : "", end);
}

static char *cut(char *text, unsigned width, size_t size)
{
	if (width < size)
		text[width] = '\0';
	return text;
}

char *progress_text(const struct progress_title *title, uint64_t done, uint64_t all, uint64_t ms,
		    unsigned width, char *text, size_t size)
{
	const double seconds = ms ? (double)ms / 1000 : 1;
	char start[LINE_MAX / 2], amount[32], rate[32], left[48] = "", end[LINE_MAX / 2];

	if (all && done > all)
		done = all;
	snprintf(start, sizeof(start), "dendro %s: %s", title->command, title->what);
	write_amount(title, (double)done, amount, sizeof(amount));
	write_amount(title, (double)done / seconds, rate, sizeof(rate));
	if (all && done)
		write_left((uint64_t)((double)(all - done) / (double)done * seconds + 0.5), left,
			   sizeof(left));
	snprintf(end, sizeof(end), "%s/s%s%s", rate, *left ? ", " : "", left);
	if (all)
		write_whole(start, (double)done / (double)all, end, width, text, size);
	else
		snprintf(text, size, "%s, %s, %s", start, amount, end);
	return cut(text, width, size);
}

char *progress_time_text(const char *command, const char *what, uint64_t ms, unsigned width,
			 char *text, size_t size)
{
	snprintf(text, size, "dendro %s: %s, %" PRIu64 " s", command, what, ms / 1000);
	return cut(text, width, size);
}

/* -- the thread ----------------------------------------------------------------------------- */

static unsigned width_of_terminal(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col
									   : DEFAULT_WIDTH;
}

static void erase(struct progress *progress)
{
	if (progress->is_shown)
		fputs(ERASE, stderr);
	progress->is_shown = false;
}

/* Goes on to the second work, once that has begun. */
static void go_on(struct progress *progress)
{
	if (!progress->next_work ||
	    !atomic_load_explicit(&progress->next_work->all, memory_order_relaxed))
		return;
	progress->title = progress->next_title;
	progress->work = progress->next_work;
	progress->next_work = NULL;
	progress->start_ns = now_ns();
}

/* What was counted is done: what follows is shown by its time, or not at all. */
static void end_counting(struct progress *progress)
{
	progress->work = NULL;
	progress->title.what = progress->title.then;
	progress->start_ns = now_ns();
}

static bool is_done(const struct work_done *work)
{
	const uint64_t all = atomic_load_explicit(&work->all, memory_order_relaxed);

	return all && atomic_load_explicit(&work->done, memory_order_relaxed) >= all;
}

static void write_line(const struct progress *progress, char *text)
{
	const struct work_done *work = progress->work;
	const uint64_t ms = (now_ns() - progress->start_ns) / NSEC_PER_MSEC;
	const unsigned width = width_of_terminal() - 1;

	if (work)
		progress_text(&progress->title,
			      atomic_load_explicit(&work->done, memory_order_relaxed),
			      atomic_load_explicit(&work->all, memory_order_relaxed), ms, width,
			      text, LINE_MAX);
	else
		progress_time_text(progress->title.command, progress->title.what, ms, width, text,
				   LINE_MAX);
}

/* The cursor stays at the start of the line, so that a message overwrites it. */
static void draw(struct progress *progress)
{
	char text[LINE_MAX];

	if (progress->work && is_done(progress->work))
		end_counting(progress);
	if (!progress->title.what) {
		erase(progress);
		return;
	}
	write_line(progress, text);
	fprintf(stderr, ERASE "%s\r", text);
	progress->is_shown = true;
}

static struct timespec time_after(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NSEC_PER_SEC),
				  .tv_nsec = (long)(ns % NSEC_PER_SEC) };
}

static void *show(void *argument)
{
	struct progress *progress = argument;
	uint64_t next_ns = progress->start_ns + FIRST_MS * NSEC_PER_MSEC;

	pthread_mutex_lock(&progress->lock);
	while (!progress->is_over) {
		const struct timespec next = time_after(next_ns);

		if (!pthread_cond_timedwait(&progress->has_ended, &progress->lock, &next))
			continue;
		go_on(progress);
		draw(progress);
		next_ns = now_ns() + STEP_MS * NSEC_PER_MSEC;
	}
	pthread_mutex_unlock(&progress->lock);
	return NULL;
}

static void init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
}

struct progress *progress_start(const struct progress_title *title, const struct work_done *work)
{
	struct progress *progress = message_can_erase() ? calloc(1, sizeof(*progress)) : NULL;

	if (!progress)
		return NULL;
	progress->title = *title;
	progress->work = work;
	progress->start_ns = now_ns();
	pthread_mutex_init(&progress->lock, NULL);
	init_condition(&progress->has_ended);
	if (!pthread_create(&progress->thread, NULL, show, progress))
		return progress;
	free(progress);
	return NULL;
}

void progress_follow(struct progress *progress, const struct progress_title *title,
		     const struct work_done *work)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->next_title = *title;
	progress->next_work = work;
	pthread_mutex_unlock(&progress->lock);
}

void progress_stop(struct progress *progress)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->is_over = true;
	pthread_cond_signal(&progress->has_ended);
	pthread_mutex_unlock(&progress->lock);
	pthread_join(progress->thread, NULL);
	erase(progress);
	pthread_cond_destroy(&progress->has_ended);
	pthread_mutex_destroy(&progress->lock);
	free(progress);
}
