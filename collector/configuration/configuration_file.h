/*
 * The text of a dendro.conf: settings of commands, by section.
 *
 *	[record]
 *	freq = 499            # a comment
 *	event = "cycles:u"
 *
 * A section is the name of a command, a name is that of a long option. A value is the rest of the
 * line, without blanks around it; a '#' at the line's beginning or after a blank begins a comment;
 * in double quotes a value is taken as it is. Which sections, names and values there are, is
 * not known here.
 */
#ifndef COLLECTOR_CONFIGURATION_CONFIGURATION_FILE_H
#define COLLECTOR_CONFIGURATION_CONFIGURATION_FILE_H

#include <stddef.h>

#define CONFIGURATION_MAX_SIZE ((size_t)1 << 16)

struct setting {
	const char *section, *name, *value; /* in the file's text; none is empty */
	unsigned line;                      /* from 1 */
};

struct configuration_file {
	char *path; /* owned; NULL: there is no such file */
	char *text; /* owned, and cut at the ends of names and values */
	struct setting *settings;
	size_t n_settings;
	/* Why its settings do not count: a part of a sentence; owned. NULL: they count. */
	char *left_out;
};

/*
 * Reads @size bytes at @text, which end with a zero and are taken over by @file; its path stays.
 * 0, -ENOMEM, or -EINVAL with *@line_ret and *@wrong_ret, a static sentence without its last full
 * stop.
 */
int configuration_file_parse(struct configuration_file *file, char *text, size_t size,
			     unsigned *line_ret, const char **wrong_ret);
void configuration_file_deinit(struct configuration_file *file);

#endif
