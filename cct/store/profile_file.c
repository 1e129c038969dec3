#include "cct/store/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/encoding/sections.h"
#include "cct/store/profile_parts.h"

/* The numbers are the format's. */
enum {
	PART_INFO = 1,
	PART_MODULES,
	PART_TREE,
	PART_NAMES,
	PART_ROWS,
	PART_RUNS,
	PART_ACTIVATIONS,
	PART_PHASES,
	PART_WINDOW,
	PART_CGROUPS,
	PART_EPOCHS,
	PART_RUN_PHASES,
	PART_RUN_EPOCHS,
	PART_STARTS,
	PART_LOSSES,
	PART_WATCHED,
	PART_JOINED,
	N_PARTS_END
};

struct part {
	void (*write)(struct byte_buffer *body, const struct profile *profile);
	int (*read)(struct dwarf_reader *body, struct profile *profile);
	const char *name;
};

static const struct part parts[N_PARTS_END] = {
	[PART_INFO] = { info_part_write, info_part_read, "description" },
	[PART_MODULES] = { modules_part_write, modules_part_read, "modules" },
	[PART_TREE] = { tree_part_write, tree_part_read, "tree" },
	[PART_NAMES] = { names_part_write, names_part_read, "names" },
	[PART_ROWS] = { rows_part_write, rows_part_read, "samples" },
	[PART_RUNS] = { runs_part_write, runs_part_read, "samples of several runs" },
	[PART_ACTIVATIONS] = { activations_part_write, activations_part_read, "activations" },
	[PART_PHASES] = { phases_part_write, phases_part_read, "phases" },
	[PART_WINDOW] = { window_part_write, window_part_read, "part of the time" },
	[PART_CGROUPS] = { cgroups_part_write, cgroups_part_read, "cgroups" },
	[PART_EPOCHS] = { epochs_part_write, epochs_part_read, "epochs" },
	[PART_RUN_PHASES] = { run_phases_part_write, run_phases_part_read,
			      "phases of several runs" },
	[PART_RUN_EPOCHS] = { run_epochs_part_write, run_epochs_part_read,
			      "epochs of several runs" },
	[PART_STARTS] = { starts_part_write, starts_part_read, "starts of sums" },
	[PART_LOSSES] = { losses_part_write, losses_part_read, "losses" },
	[PART_WATCHED] = { watched_part_write, watched_part_read, "watched times" },
	[PART_JOINED] = { joined_part_write, joined_part_read, "joined processes" },
};

/* How parts were written by earlier versions of dendro. */
static const struct earlier_part {
	uint32_t type, last_version;
	int (*read)(struct dwarf_reader *body, struct profile *profile);
} earlier_parts[] = {
	{ PART_NAMES, 1, names_part_read_first },
	{ PART_INFO, 2, info_part_read_before_3 },
	{ PART_TREE, 2, tree_part_read_before_3 },
	{ PART_ROWS, 2, rows_part_read_before_3 },
	{ PART_ROWS, 3, rows_part_read_3 },
	{ PART_RUNS, 2, runs_part_read_before_3 },
	{ PART_RUNS, 3, runs_part_read_3 },
	{ PART_RUNS, 4, runs_part_read_4 },
	{ PART_ACTIVATIONS, 2, activations_part_read_before_3 },
	{ PART_EPOCHS, 2, epochs_part_read_before_3 },
};

/* The parts after the names may be missing. */
static bool is_required(uint32_t type)
{
	return type <= PART_NAMES;
}

static bool is_there(uint32_t type, const struct profile *profile)
{
	const bool has_runs = profile->rows && profile->rows->n_runs;

	if (type == PART_ACTIVATIONS)
		return profile->cct->activations;
	if (type == PART_CGROUPS)
		return profile->rows && profile->cgroups.n_strings;
	if (type == PART_ROWS)
		return profile->rows && !has_runs;
	if (type == PART_PHASES || type == PART_RUN_PHASES)
		return profile->phases.n && has_runs == (type == PART_RUN_PHASES);
	if (type == PART_EPOCHS || type == PART_RUN_EPOCHS)
		return profile->epochs.n && has_runs == (type == PART_RUN_EPOCHS);
	if (type == PART_STARTS)
		return has_runs && starts_part_is_needed(profile->rows);
	if (type == PART_LOSSES)
		return profile->info.losses.n;
	if (type == PART_WATCHED)
		return profile->info.watched.n;
	if (type == PART_WINDOW)
		return profile->info.has_window;
	if (type == PART_JOINED)
		return joined_part_is_needed(profile);
	return type != PART_RUNS || has_runs;
}

/* What is read, and how far that is. */
struct reading {
	struct profile *profile;
	uint32_t version; /* of the file */
	bool with_rows;
	uint32_t next; /* the part that must come, unless it is a section of a later version */
	unsigned n_skipped;
};

int profile_file_write(FILE *file, const struct profile *profile)
{
	struct section_writer writer;
	struct byte_buffer body = { 0 };

	if (!profile->names)
		return -EINVAL;
	int err = section_writer_init(&writer, file, SECTIONS_VERSION);

	for (uint32_t type = PART_INFO; !err && type < N_PARTS_END; type++) {
		if (!is_there(type, profile))
			continue;
		byte_buffer_clear(&body);
		parts[type].write(&body, profile);
		err = section_write(&writer, type, is_required(type) ? SECTION_REQUIRED : 0, &body);
	}
	if (!err)
		err = section_writer_end(&writer);
	byte_buffer_deinit(&body);
	section_writer_deinit(&writer);
	return err;
}

static int refuse(char **error_ret, const char *why, const char *part)
{
	*error_ret = sentence("the profile is damaged: its %s %s", part, why);
	return -EINVAL;
}

static bool is_of_rows(uint32_t type)
{
	return type == PART_ROWS || type == PART_RUNS || type == PART_CGROUPS ||
	       (type >= PART_RUN_PHASES && type <= PART_STARTS);
}

/* 0, or -errno of the part's reader. */
static int read_body(struct dwarf_reader *body, uint32_t type, const struct reading *reading)
{
	const size_t n = sizeof(earlier_parts) / sizeof(*earlier_parts);

	for (size_t i = 0; i < n; i++) {
		if (earlier_parts[i].type == type &&
		    reading->version <= earlier_parts[i].last_version)
			return earlier_parts[i].read(body, reading->profile);
	}
	return parts[type].read(body, reading->profile);
}

static int read_part(const struct section *section, struct reading *reading, char **error_ret)
{
	struct dwarf_reader body = dwarf_reader(section->bytes, section->size);

	if (section->type >= N_PARTS_END && !(section->flags & SECTION_REQUIRED)) {
		reading->n_skipped++;
		return 0;
	}
	if (section->type >= N_PARTS_END) {
		*error_ret = sentence("a later version of dendro is needed: the profile has a "
				      "section of type %u, which this version does not know",
				      section->type);
		return -EINVAL;
	}
	if (section->type < reading->next ||
	    (section->type > reading->next && is_required(reading->next)))
		return refuse(error_ret, "are missing or not in order", "sections");
	reading->next = section->type + 1;
	if (is_of_rows(section->type) && !reading->with_rows)
		return 0;
	int err = read_body(&body, section->type, reading);
	if (err == -EINVAL || (!err && dwarf_left(&body)))
		return refuse(error_ret, "cannot be read", parts[section->type].name);
	return err;
}

static int read_parts(struct section_reader *reader, struct reading *reading, char **error_ret)
{
	struct section section;
	int got;

	while ((got = section_read(reader, &section, error_ret)) > 0) {
		int err = read_part(&section, reading, error_ret);

		if (err)
			return err;
	}
	if (got)
		return got;
	if (is_required(reading->next))
		return refuse(error_ret, "are missing or not in order", "sections");
	if (profile_check_conservation(reading->profile) >= 0)
		return refuse(error_ret, "does not add up to its totals", "tree");
	return 0;
}

static int read_profile(FILE *file, bool with_rows, struct profile **profile_ret,
			unsigned *n_skipped_ret, char **error_ret)
{
	struct reading reading = {
		.profile = profile_create(),
		.with_rows = with_rows,
		.next = PART_INFO,
	};
	struct section_reader reader;

	*error_ret = NULL;
	*n_skipped_ret = 0;
	if (!reading.profile)
		return -ENOMEM;
	int err = section_reader_init(&reader, file, error_ret);
	reading.version = reader.version;
	if (!err)
		err = read_parts(&reader, &reading, error_ret);
	section_reader_deinit(&reader);
	if (err) {
		profile_destroy(reading.profile);
		return err;
	}
	*n_skipped_ret = reading.n_skipped;
	*profile_ret = reading.profile;
	return 0;
}

int profile_file_read(FILE *file, struct profile **profile_ret, unsigned *n_skipped_ret,
		      char **error_ret)
{
	return read_profile(file, false, profile_ret, n_skipped_ret, error_ret);
}

int profile_file_read_with_rows(FILE *file, struct profile **profile_ret, unsigned *n_skipped_ret,
				char **error_ret)
{
	return read_profile(file, true, profile_ret, n_skipped_ret, error_ret);
}

/* The first bytes of a pipe, without taking them out of it. */
static ssize_t peek_pipe(int fd, uint8_t *bytes, size_t size)
{
	int ends[2];
	ssize_t got = -1;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	if (tee(fd, ends[1], size, 0) > 0)
		got = read(ends[0], bytes, size);
	close(ends[0]);
	close(ends[1]);
	return got;
}

bool profile_file_is_at(const char *path)
{
	uint8_t bytes[SECTIONS_MAGIC_SIZE];
	ssize_t got;

	if (strcmp(path, "-") == 0) {
		got = pread(STDIN_FILENO, bytes, sizeof(bytes), 0);
		if (got < 0)
			got = peek_pipe(STDIN_FILENO, bytes, sizeof(bytes));
	} else {
		/* A named pipe has a recording, which is read once. */
		_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		got = fd < 0 ? -1 : pread(fd, bytes, sizeof(bytes), 0);
	}
	return got == (ssize_t)sizeof(bytes) && sections_recognize(bytes);
}
