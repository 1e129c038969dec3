#include "cct/store/profile_file.h"

#include <errno.h>

#include "cct/base/sentence.h"
#include "cct/store/profile_parts.h"
#include "cct/store/sections.h"

/* The numbers are the format's. */
enum { PART_INFO = 1, PART_MODULES, PART_TREE, PART_NAMES, N_PARTS_END };

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
};

int profile_file_write(FILE *file, const struct profile *profile)
{
	struct section_writer writer;
	struct byte_buffer body = { 0 };
	int err = section_writer_init(&writer, file);

	for (uint32_t type = PART_INFO; !err && type < N_PARTS_END; type++) {
		byte_buffer_clear(&body);
		parts[type].write(&body, profile);
		err = section_write(&writer, type, SECTION_REQUIRED, &body);
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

/* @next: the part that must come, unless it is a section of a later version. */
static int read_part(const struct section *section, uint32_t *next, struct profile *profile,
		     unsigned *n_skipped, char **error_ret)
{
	struct dwarf_reader body = dwarf_reader(section->bytes, section->size);

	if (section->type >= N_PARTS_END && !(section->flags & SECTION_REQUIRED)) {
		++*n_skipped;
		return 0;
	}
	if (section->type >= N_PARTS_END) {
		*error_ret = sentence("a later version of dendro is needed: the profile has a "
				      "section of type %u, which this version does not know",
				      section->type);
		return -EINVAL;
	}
	if (section->type != *next)
		return refuse(error_ret, "are missing or not in order", "sections");
	++*next;
	int err = parts[section->type].read(&body, profile);
	if (err == -EINVAL || (!err && dwarf_left(&body)))
		return refuse(error_ret, "cannot be read", parts[section->type].name);
	return err;
}

static int read_parts(struct section_reader *reader, struct profile *profile, unsigned *n_skipped,
		      char **error_ret)
{
	struct section section;
	uint32_t next = PART_INFO;
	int got;

	while ((got = section_read(reader, &section, error_ret)) > 0) {
		int err = read_part(&section, &next, profile, n_skipped, error_ret);

		if (err)
			return err;
	}
	if (got)
		return got;
	if (next != N_PARTS_END)
		return refuse(error_ret, "are missing or not in order", "sections");
	if (profile_check_conservation(profile) >= 0)
		return refuse(error_ret, "does not add up to its totals", "tree");
	return 0;
}

int profile_file_read(FILE *file, struct profile **profile_ret, unsigned *n_skipped_ret,
		      char **error_ret)
{
	struct profile *profile = profile_create();
	struct section_reader reader;

	*error_ret = NULL;
	*n_skipped_ret = 0;
	if (!profile)
		return -ENOMEM;
	int err = section_reader_init(&reader, file, error_ret);
	if (!err)
		err = read_parts(&reader, profile, n_skipped_ret, error_ret);
	section_reader_deinit(&reader);
	if (err) {
		profile_destroy(profile);
		return err;
	}
	*profile_ret = profile;
	return 0;
}
