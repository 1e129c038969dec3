#include "collector/configuration/option_table.h"

#include <string.h>

const struct command_option option_of_help = { .name = "help",
					       .letter = 'h',
					       .help = "show this text",
					       .not_a_setting = "it ends the command" };

const struct command_option *option_walk_next(struct option_walk *walk, size_t *offset_ret)
{
	if (walk->shared_row && walk->shared_row->name) {
		*offset_ret = walk->row[-1].offset + walk->shared_row->offset;
		return walk->shared_row++;
	}
	walk->shared_row = NULL;
	*offset_ret = walk->row->offset;
	if (walk->row->shared) {
		walk->shared_row = walk->row++->shared;
		return option_walk_next(walk, offset_ret);
	}
	if (walk->row->name || walk->row->heading)
		return walk->row++;
	if (walk->is_at_end)
		return NULL;
	walk->is_at_end = true;
	return &option_of_help;
}

struct found_option option_find_letter(const struct command_line *line, char letter)
{
	struct option_walk walk = { .row = line->options };
	struct found_option found;

	while ((found.option = option_walk_next(&walk, &found.offset))) {
		if (found.option->letter == letter && letter)
			break;
	}
	return found;
}

/* The option with that name or, without a name, with that letter, of a table that only parsing
 * knows. Its offset is the field's. */
static struct found_option find_hidden(const struct command_option *row, const char *name,
				       size_t length, char letter)
{
	for (; row && (row->name || row->letter); row++) {
		bool has_name = row->name && name && strncmp(row->name, name, length) == 0 &&
				!row->name[length];

		if (has_name || (letter && row->letter == letter))
			return (struct found_option){ row, row->offset };
	}
	return (struct found_option){ 0 };
}

struct found_option option_find_of_perf(const struct command_line *line, const char *name,
					size_t length, char letter)
{
	return find_hidden(line->of_perf, name, length, letter);
}

bool option_is_spelled(const struct command_option *option, const char *name, size_t length)
{
	return option->name && strncmp(option->name, name, length) == 0;
}

struct found_option option_find_ours(const struct command_line *line, const char *name,
				     size_t length, size_t *n_ret)
{
	struct option_walk walk = { .row = line->options };
	struct found_option found = { 0 }, next;

	*n_ret = 0;
	while ((next.option = option_walk_next(&walk, &next.offset))) {
		if (!option_is_spelled(next.option, name, length))
			continue;
		found = next;
		(*n_ret)++;
		if (strlen(next.option->name) == length) {
			*n_ret = 1;
			break;
		}
	}
	return found;
}

struct found_option option_find_long(const struct command_line *line, const char *name,
				     size_t length, size_t *n_ret)
{
	struct found_option found = option_find_ours(line, name, length, n_ret), hidden;

	if (!length || (*n_ret == 1 && strlen(found.option->name) == length))
		return found;
	hidden = find_hidden(line->of_perf, name, length, 0);
	if (!hidden.option)
		hidden = find_hidden(line->refused, name, length, 0);
	if (!hidden.option)
		return found;
	*n_ret = 1;
	return hidden;
}

struct found_option option_find_setting(const struct command_line *line, const char *name)
{
	size_t n;
	struct found_option found = option_find_ours(line, name, strlen(name), &n);

	return found.option && strcmp(found.option->name, name) == 0 ? found
								     : (struct found_option){ 0 };
}
