/*
 * Settings of files as options of a command.
 *
 * A setting counts if neither the command line nor a stronger setting has the same option or its
 * opposite. Stronger is: of a stronger file; in one file, of the command's section rather than of
 * [all]. Several lines of one section count as an option that is given several times.
 *
 * An option without a value is 'true', or 'false', which hides weaker settings of this option, as
 * --no-NAME does, but not of its opposite.
 */
#ifndef COLLECTOR_CONFIGURATION_OPTION_SETTINGS_H
#define COLLECTOR_CONFIGURATION_OPTION_SETTINGS_H

#include "collector/configuration/configuration.h"
#include "collector/configuration/option_table.h"

/* The options of a command line. */
struct given_options {
	struct given_name {
		const struct command_option *option;
		bool is_negated; /* "--no-NAME": its opposite may count still */
	} * names;
	size_t n;
};

/*
 * Fills the struct @target. 0, -ENOMEM, or -EINVAL with *@wrong_ret, a sentence that names file and
 * line; heap. Or what an option's "take" has returned: an exit status after such a message.
 */
int option_settings_take(const struct command_line *line, struct configuration *configuration,
			 const struct given_options *given, void *target, char **wrong_ret);

/*
 * The stronger setting of the same option and section, or of it in [all], because of which that
 * one, of file number @source, does not count; NULL: there is none. *@source_ret: its file.
 */
const struct setting *option_settings_stronger(const struct configuration *configuration,
					       const struct setting *setting, size_t source,
					       size_t *source_ret);

/*
 * What is wrong with the first setting that none of @n_lines commands can have, a sentence that
 * names file and line; heap. 0 if nothing is, -EINVAL or -ENOMEM. Values are checked when they are
 * taken.
 */
int option_settings_check(const struct configuration *configuration,
			  const struct command_line *const *lines, size_t n_lines,
			  char **wrong_ret);

#endif
