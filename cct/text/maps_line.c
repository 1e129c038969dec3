/* "start-end perms offset major:minor inode   path" */
#include "cct/text/maps_line.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool parse_number(char **at, int base, char end_char, uint64_t *ret)
{
	char *stop;

	if (!isxdigit((unsigned char)**at))
		return false;
	*ret = strtoull(*at, &stop, base);
	if (*stop != end_char)
		return false;
	*at = stop + 1;
	return true;
}

static uint32_t parse_prot(const char *text)
{
	return (text[0] == 'r' ? PROT_READ : 0) | (text[1] == 'w' ? PROT_WRITE : 0) |
	       (text[2] == 'x' ? PROT_EXEC : 0);
}

/* A newline in a path stands as \012 (fs/seq_file.c); no other character is escaped. */
static void unescape(char *path)
{
	char *to = path;

	for (const char *from = path; *from; to++) {
		bool is_newline = strncmp(from, "\\012", 4) == 0;

		*to = is_newline ? '\n' : *from;
		from += is_newline ? 4 : 1;
	}
	*to = '\0';
}

bool maps_line_parse(char *at, struct maps_line *ret)
{
	uint64_t dev_major, dev_minor;

	if (!parse_number(&at, 16, '-', &ret->start) || !parse_number(&at, 16, ' ', &ret->end) ||
	    strlen(at) < 5 || ret->end < ret->start)
		return false;
	ret->prot = parse_prot(at);
	ret->flags = at[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	at += 5;
	if (!parse_number(&at, 16, ' ', &ret->pgoff) || !parse_number(&at, 16, ':', &dev_major) ||
	    !parse_number(&at, 16, ' ', &dev_minor) || !isdigit((unsigned char)*at))
		return false;
	ret->dev_major = (uint32_t)dev_major;
	ret->dev_minor = (uint32_t)dev_minor;
	ret->inode = strtoull(at, &at, 10);
	while (*at == ' ')
		at++;
	unescape(at);
	ret->path = at;
	return true;
}

bool maps_line_own(uint64_t addr, struct maps_line *ret)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	bool is_found = false;
	char *line = NULL;
	size_t size = 0;

	while (maps && !is_found && getline(&line, &size, maps) > 0)
		is_found = maps_line_parse(line, ret) && addr >= ret->start && addr < ret->end;
	ret->path = "";
	free(line);
	if (maps)
		fclose(maps);
	return is_found;
}
