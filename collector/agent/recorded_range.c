#include "collector/agent/recorded_range.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cct/base/clock.h"
#include "cct/time/date_text.h"
#include "collector/agent/window_folder.h"
#include "collector/command-line/messages.h"

#define DATE_SIZE     32
#define MISSING_NOTED 4

static uint64_t read_unix_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static int parse(const char *command, const char *option, const char *text, uint64_t now_ns,
		 uint64_t *ns)
{
	if (!text || !date_text_parse(text, now_ns, ns))
		return 0;
	return message_wrong_use(command,
				 "%s takes a local time such as 02:10, '2026-11-27 02:10', -2h or "
				 "now, not '%s'.",
				 option, text);
}

int recorded_range_parse(const char *command, const char *from_option, const char *from,
			 const char *to, struct time_span *span_ret)
{
	const uint64_t now_ns = read_unix_ns();
	struct time_span span = { 0, now_ns };
	int status = parse(command, from_option, from, now_ns, &span.start_ns);

	if (!status)
		status = parse(command, "--to", to, now_ns, &span.end_ns);
	if (!status && span.end_ns <= span.start_ns)
		status = message_wrong_use(command,
					   "%s is not before --to: times without a date "
					   "are the last ones that have been.",
					   from_option);
	if (!status)
		*span_ret = span;
	return status;
}

static void write_date(char date[DATE_SIZE], uint64_t unix_ns)
{
	const time_t seconds = (time_t)(unix_ns / NSEC_PER_SEC);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(date, DATE_SIZE, "%Y-%m-%d %H:%M:%S", &tm))
		*date = '\0';
}

static int complain_of_none(const char *command, const char *folder, const struct window_list *list)
{
	char from[DATE_SIZE], to[DATE_SIZE];

	if (!list->n)
		return message_error(command,
				     "'%s' has no profiles: does 'dendro agent' run, and write "
				     "there?",
				     folder);
	write_date(from, list->files[0].span.start_ns);
	write_date(to, list->files[list->n - 1].span.end_ns);
	return message_error(command, "nothing was recorded then: '%s' has profiles from %s to %s.",
			     folder, from, to);
}

static int add_path(const char *folder, const struct window_file *file,
		    struct recorded_range *range)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, file->name) < 0)
		return -ENOMEM;
	range->paths[range->n_paths++] = path;
	return 0;
}

static int choose(const char *command, const char *folder, const struct window_list *list,
		  struct recorded_range *range)
{
	range->paths = calloc(list->n + 1, sizeof(*range->paths));
	int err = range->paths ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < list->n; i++) {
		const struct time_span *span = &list->files[i].span;

		if (span->start_ns < range->span.end_ns && span->end_ns > range->span.start_ns)
			err = add_path(folder, &list->files[i], range);
	}
	if (err)
		return message_error_of_memory(command);
	return range->n_paths ? 0 : complain_of_none(command, folder, list);
}

/* Without a beginning, it is that of the first profile. */
static void begin_with_first(const struct window_list *list, struct time_span *span)
{
	if (!span->start_ns && list->n)
		span->start_ns = list->files[0].span.start_ns;
}

void recorded_range_write_title(const struct time_span *span,
				char title[static RECORDED_RANGE_TITLE_SIZE])
{
	char from[DATE_SIZE], to[DATE_SIZE];

	write_date(from, span->start_ns);
	write_date(to, span->end_ns);
	snprintf(title, RECORDED_RANGE_TITLE_SIZE, "%.28s to %.28s", from, to);
}

int recorded_range_find(const char *command, const char *folder, const struct time_span *span,
			struct recorded_range *range_ret)
{
	struct recorded_range range = { .span = *span };
	struct window_list list = { 0 };

	range.folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = range.folder_fd < 0 ? -errno : 0;
	/* The agent has it for moments only. */
	if (!err && flock(range.folder_fd, LOCK_SH))
		err = -errno;
	if (!err)
		err = window_folder_list(range.folder_fd, &list);
	if (err) {
		err = message_error(command, "cannot read '%s', a folder of dendro agent: %s.",
				    folder, strerror(-err));
	} else {
		begin_with_first(&list, &range.span);
		recorded_range_write_title(&range.span, range.title);
		err = choose(command, folder, &list, &range);
	}
	window_list_deinit(&list);
	if (err)
		recorded_range_deinit(&range);
	else
		*range_ret = range;
	return err;
}

void recorded_range_note_missing(const char *command, const char *what,
				 const struct watched_time *watched)
{
	char from[DATE_SIZE], to[DATE_SIZE];
	struct time_span gap;
	size_t n = 0;

	for (; n < MISSING_NOTED && watched_time_gap(watched, n, &gap); n++) {
		write_date(from, gap.start_ns);
		write_date(to, gap.end_ns);
		message_note(command, "%snothing was recorded from %s to %s.", what, from, to);
	}
	if (n == MISSING_NOTED && watched_time_gap(watched, n, &gap))
		message_note(command, "%snor at other times.", what);
}

void recorded_range_deinit(struct recorded_range *range)
{
	for (size_t i = 0; i < range->n_paths; i++)
		free((char *)range->paths[i]);
	free(range->paths);
	if (range->folder_fd >= 0)
		close(range->folder_fd);
	*range = (struct recorded_range){ .folder_fd = -1 };
}
