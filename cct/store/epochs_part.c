/* Writes and reads the epochs of processes. A text of files is written where it is first needed. */
#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "cct/store/profile_parts.h"

/* Bytes: two distances, a number of files, a number of a text; of several runs: three more. */
#define EPOCH_SIZE_MIN     4
#define RUN_EPOCH_SIZE_MIN 7

/* Texts that were written. */
struct written_texts {
	const struct string_ids *texts;
	uint32_t *numbers; /* from 1 on; 0: not written */
	uint32_t n;
};

struct epochs_writer {
	struct byte_buffer *body;
	struct written_texts at_start, later;
	uint64_t begin_ns; /* of the last process with epochs */
};

static bool written_texts_init(struct written_texts *written, const struct string_ids *texts)
{
	*written = (struct written_texts){ .texts = texts };
	written->numbers = calloc((size_t)texts->n_strings + 1, sizeof(*written->numbers));
	return written->numbers;
}

static void write_text(struct byte_buffer *body, struct written_texts *written, uint32_t text)
{
	uint32_t *number = &written->numbers[text];
	const bool is_new = !*number;

	if (is_new)
		*number = ++written->n;
	byte_buffer_add_unsigned(body, *number);
	if (is_new)
		byte_buffer_add_text(body, written->texts->strings[text]);
}

/* From its first sample to the process's last one. */
static uint64_t duration_of(const struct epoch *epoch)
{
	return epoch->end_ns > epoch->first_ns ? epoch->end_ns - epoch->first_ns : 0;
}

static uint64_t duration_of_last(const struct epoch_list *list, uint32_t index)
{
	return epoch_is_last(list, index) ? duration_of(&list->epochs[index]) : 0;
}

/* Those of a process in several runs: times of a run follow its last one. */
static void write_run_list(struct epochs_writer *writer, const struct epoch_list *list)
{
	struct byte_buffer *body = writer->body;
	struct epoch last = { .run = 0 };

	byte_buffer_add_unsigned(body, list->n);
	for (uint32_t i = 0; i < list->n; i++) {
		const struct epoch *epoch = &list->epochs[i];

		if (epoch->run != last.run)
			last.first_ns = 0;
		byte_buffer_add_unsigned(body, epoch->run - last.run);
		byte_buffer_add_unsigned(body, epoch->number);
		byte_buffer_add_unsigned(body, epoch->first_ns - last.first_ns);
		byte_buffer_add_unsigned(body, epoch->first_ns - epoch->loaded_ns);
		byte_buffer_add_unsigned(body, epoch->n_files);
		write_text(body, epoch->number > 1 ? &writer->later : &writer->at_start,
			   epoch->files);
		byte_buffer_add_unsigned(body, duration_of_last(list, i));
		last = *epoch;
	}
}

/* Processes mostly begin soon after the one before. */
static void write_list(struct epochs_writer *writer, const struct epoch_list *list)
{
	struct byte_buffer *body = writer->body;
	uint64_t last_ns = writer->begin_ns;

	byte_buffer_add_unsigned(body, list->n);
	for (uint32_t i = 0; i < list->n; i++) {
		const struct epoch *epoch = &list->epochs[i];

		if (i)
			byte_buffer_add_unsigned(body, epoch->first_ns - last_ns);
		else
			byte_buffer_add_signed(body, (int64_t)(epoch->first_ns - last_ns));
		byte_buffer_add_unsigned(body, epoch->first_ns - epoch->loaded_ns);
		byte_buffer_add_unsigned(body, epoch->n_files);
		write_text(body, i ? &writer->later : &writer->at_start, epoch->files);
		last_ns = epoch->first_ns;
	}
	if (!list->n)
		return;
	byte_buffer_add_unsigned(body, duration_of(&list->epochs[list->n - 1]));
	writer->begin_ns = list->epochs[0].first_ns;
}

static void write_lists(struct byte_buffer *body, const struct profile *profile,
			void (*write)(struct epochs_writer *, const struct epoch_list *))
{
	struct epochs_writer writer = { .body = body };
	bool has_memory = written_texts_init(&writer.at_start, &profile->epochs.at_start);

	has_memory &= written_texts_init(&writer.later, &profile->epochs.later);
	body->lacks_memory |= !has_memory;
	byte_buffer_add_unsigned(body, profile->epochs.n_left_out);
	for (uint32_t i = 0; has_memory && i < profile->n_processes; i++)
		write(&writer, &profile->processes[i].epochs);
	free(writer.at_start.numbers);
	free(writer.later.numbers);
}

void epochs_part_write(struct byte_buffer *body, const struct profile *profile)
{
	write_lists(body, profile, write_list);
}

void run_epochs_part_write(struct byte_buffer *body, const struct profile *profile)
{
	write_lists(body, profile, write_run_list);
}

/* *@text_ret: what was read is the caller's *@read_ret to free. */
static int read_text(struct dwarf_reader *body, const struct string_ids *known,
		     const char **text_ret, char **read_ret)
{
	const uint64_t number = dwarf_read_uleb(body);

	*read_ret = NULL;
	if (!number || number > known->n_strings + 1ull)
		return -EINVAL;
	if (number <= known->n_strings) {
		*text_ret = known->strings[number - 1];
		return 0;
	}
	int err = part_read_text(body, read_ret);
	*text_ret = *read_ret;
	return !err && !*read_ret ? -EINVAL : err;
}

/* Nanoseconds from @last_ns to the first sample. */
static uint64_t read_first_ns(struct dwarf_reader *body, bool is_signed, uint64_t last_ns)
{
	uint64_t first_ns;

	if (is_signed)
		return last_ns + (uint64_t)dwarf_read_sleb(body);
	if (__builtin_add_overflow(last_ns, dwarf_read_uleb(body), &first_ns))
		dwarf_break(body);
	return first_ns;
}

static int read_epoch(struct dwarf_reader *body, struct epochs *epochs, struct epoch_list *list,
		      uint64_t first_ns)
{
	const uint64_t loading_ns = dwarf_read_uleb(body), n_files = dwarf_read_uleb(body);
	struct epoch epoch = { .first_ns = first_ns, .n_files = (uint32_t)n_files };
	_cleanup_free_ char *read = NULL;
	const char *text;

	if (loading_ns > first_ns || n_files > UINT32_MAX || epochs->n == EPOCHS_MAX)
		return -EINVAL;
	epoch.loaded_ns = first_ns - loading_ns;
	int err = read_text(body, list->n ? &epochs->later : &epochs->at_start, &text, &read);
	if (err || body->is_broken)
		return err ? err : -EINVAL;
	return epochs_begin(epochs, list, &epoch, text);
}

/* @begin_ns: of the process before, and then of this one; NULL: as versions 1 and 2 have it. */
static int read_list(struct dwarf_reader *body, struct epochs *epochs, struct epoch_list *list,
		     uint64_t *begin_ns)
{
	const int64_t n = part_read_count(body, EPOCH_SIZE_MIN);
	uint64_t first_ns = begin_ns ? *begin_ns : 0;
	int err = n < 0 ? -EINVAL : 0;

	for (int64_t i = 0; !err && i < n; i++) {
		first_ns = read_first_ns(body, begin_ns && !i, first_ns);
		if (begin_ns && !i)
			*begin_ns = first_ns;
		err = read_epoch(body, epochs, list, first_ns);
	}
	if (err || !n)
		return err;
	struct epoch *last = &list->epochs[list->n - 1];
	return __builtin_add_overflow(last->first_ns, dwarf_read_uleb(body), &last->end_ns)
		       ? -EINVAL
		       : 0;
}

static int read_lists(struct dwarf_reader *body, struct profile *profile, uint64_t *begin_ns)
{
	int err = 0;

	profile->epochs.n_left_out = dwarf_read_uleb(body);
	for (uint32_t i = 0; !err && i < profile->n_processes; i++)
		err = read_list(body, &profile->epochs, &profile->processes[i].epochs, begin_ns);
	return !err && body->is_broken ? -EINVAL : err;
}

int epochs_part_read(struct dwarf_reader *body, struct profile *profile)
{
	uint64_t begin_ns = 0;

	return read_lists(body, profile, &begin_ns);
}

int epochs_part_read_before_3(struct dwarf_reader *body, struct profile *profile)
{
	return read_lists(body, profile, NULL);
}

static int read_run_epoch(struct dwarf_reader *body, struct profile *profile,
			  struct epoch_list *list)
{
	const struct epoch *last = list->n ? &list->epochs[list->n - 1] : NULL;
	struct epochs *epochs = &profile->epochs;
	const uint64_t run = (last ? last->run : 0) + dwarf_read_uleb(body);
	const uint64_t number = dwarf_read_uleb(body), distance = dwarf_read_uleb(body);
	const uint64_t loading_ns = dwarf_read_uleb(body), n_files = dwarf_read_uleb(body);
	struct epoch epoch = { .run = (uint32_t)run,
			       .number = (uint32_t)number,
			       .n_files = (uint32_t)n_files };
	_cleanup_free_ char *read = NULL;
	const char *text;

	epoch.first_ns = distance + (last && last->run == run ? last->first_ns : 0);
	if (run >= profile->rows->n_runs || !number || number > EPOCHS_MAX ||
	    loading_ns > epoch.first_ns || n_files > UINT32_MAX)
		return -EINVAL;
	epoch.loaded_ns = epoch.first_ns - loading_ns;
	int err = read_text(body, number > 1 ? &epochs->later : &epochs->at_start, &text, &read);
	if (err || __builtin_add_overflow(epoch.first_ns, dwarf_read_uleb(body), &epoch.end_ns) ||
	    body->is_broken)
		return err ? err : -EINVAL;
	err = epochs_add(epochs, list, &epoch, text);
	if (err || list->n == 1)
		return err;
	return epochs_compare(epochs, &list->epochs[list->n - 2], &list->epochs[list->n - 1]) < 0
		       ? 0
		       : -EINVAL;
}

int run_epochs_part_read(struct dwarf_reader *body, struct profile *profile)
{
	int err = !profile->rows || !profile->rows->n_runs || profile->epochs.n ? -EINVAL : 0;

	profile->epochs.n_left_out = dwarf_read_uleb(body);
	for (uint32_t i = 0; !err && i < profile->n_processes; i++) {
		const int64_t n = part_read_count(body, RUN_EPOCH_SIZE_MIN);

		err = n < 0 ? -EINVAL : 0;
		for (int64_t k = 0; !err && k < n; k++)
			err = read_run_epoch(body, profile, &profile->processes[i].epochs);
	}
	return !err && body->is_broken ? -EINVAL : err;
}
