#include "collector/record/parts/recent_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "perf/records/window_record.h"

/* Parts of the time that is kept: one more is there, whose end is not yet too old. */
#define PARTS_OF_TIME 4
/* Parts of the size: the one at hand is not among those that are kept. */
#define PARTS_OF_SIZE 8
#define STEP_SIZE     (4u << 20)

struct recent_join {
	struct data_join *join;
	int *fds;
	struct window_record first[2], last;
};

uint64_t recent_part_ns(const struct recent_choice *choice)
{
	return choice->last_ns / PARTS_OF_TIME + 1;
}

uint64_t recent_part_size(const struct recent_choice *choice)
{
	return choice->max_size / PARTS_OF_SIZE + 1;
}

int recent_parts_open(void)
{
	int fd = memfd_create("dendro recording", MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void drop_oldest(struct recent_parts *parts)
{
	const struct recent_part *part = &parts->parts[0];

	close(part->fd);
	parts->n_bytes -= part->size;
	parts->n_samples -= part->n_samples;
	parts->n_dropped++;
	parts->n--;
	memmove(parts->parts, parts->parts + 1, parts->n * sizeof(*parts->parts));
}

int recent_parts_add(struct recent_parts *parts, const struct recent_choice *choice,
		     const struct recent_part *part)
{
	const uint64_t end_ns = part->end_ns;

	/* No other array of these grows, so room that dropped parts have left is used again. */
	int err = array_reserve_one(parts->parts, parts->n);
	if (err) {
		close(part->fd);
		return err;
	}
	parts->parts[parts->n++] = *part;
	parts->n_bytes += part->size;
	parts->n_samples += part->n_samples;
	while (parts->n > 1 &&
	       (parts->parts[0].end_ns + choice->last_ns <= end_ns ||
		parts->n_bytes > choice->max_size - choice->max_size / PARTS_OF_SIZE))
		drop_oldest(parts);
	return 0;
}

void recent_parts_deinit(struct recent_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		close(parts->parts[i].fd);
	free(parts->parts);
	*parts = (struct recent_parts){ 0 };
}

int recent_join_begin(const struct recent_parts *parts, bool has_windows, int out_fd,
		      struct recent_join **join_ret)
{
	struct recent_join *join = calloc(1, sizeof(*join));
	size_t n_first = 0;

	if (!join || !parts->n) {
		free(join);
		return join ? -ENODATA : -ENOMEM;
	}
	const uint64_t begin_ns = parts->parts[0].begin_ns;
	if (parts->n_dropped)
		window_record_init(&join->first[n_first++], WINDOW_RECORD_LAST_PART, begin_ns);
	if (has_windows)
		window_record_init(&join->first[n_first++], WINDOW_RECORD_BEGIN, begin_ns);
	window_record_init(&join->last, WINDOW_RECORD_END, parts->parts[parts->n - 1].end_ns);
	join->fds = calloc(parts->n, sizeof(*join->fds));
	int err = join->fds ? 0 : -ENOMEM;
	for (size_t i = 0; i < parts->n && !err; i++)
		join->fds[i] = parts->parts[i].fd;
	const struct data_join_options options = {
		.fds = join->fds,
		.n_fds = parts->n,
		.out_fd = out_fd,
		.first = join->first,
		.first_size = n_first * sizeof(join->first[0]),
		.last = &join->last,
		.last_size = has_windows ? sizeof(join->last) : 0,
	};
	if (!err)
		err = data_join_create(&options, &join->join);
	if (err) {
		recent_join_destroy(join);
		return err;
	}
	*join_ret = join;
	return 0;
}

void recent_join_destroy(struct recent_join *join)
{
	if (!join)
		return;
	data_join_destroy(join->join);
	free(join->fds);
	free(join);
}

int recent_join_step(struct recent_join *join)
{
	return data_join_step(join->join, STEP_SIZE);
}

uint64_t recent_join_n_bytes(const struct recent_join *join)
{
	return data_join_n_bytes(join->join);
}
