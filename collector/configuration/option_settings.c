#include "collector/configuration/option_settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "cct/text/near_names.h"

/* A setting that is taken over. */
struct taking {
	const struct command_line *line;
	struct configuration *configuration;
	const struct configuration_file *file;
	const struct setting *setting;
	struct found_option found;
};

static bool is_of_all(const struct setting *setting)
{
	return strcmp(setting->section, CONFIGURATION_ALL) == 0;
}

static bool names(const struct setting *setting, const char *name, const char *opposite)
{
	return strcmp(setting->name, name) == 0 ||
	       (opposite && strcmp(setting->name, opposite) == 0 &&
		strcmp(setting->value, "false") != 0);
}

/* The first one of @section in the file that has the option or its opposite. */
static const struct setting *find_in(const struct configuration_file *file, const char *section,
				     const char *name, const char *opposite)
{
	for (size_t i = 0; i < file->n_settings; i++)
		if (strcmp(file->settings[i].section, section) == 0 &&
		    names(&file->settings[i], name, opposite))
			return &file->settings[i];
	return NULL;
}

static const struct setting *find_stronger(const struct configuration *configuration,
					   const struct setting *setting, const char *section,
					   size_t source, const char *opposite, size_t *source_ret)
{
	const struct setting *found = NULL;
	const bool is_weaker_here = is_of_all(setting) && strcmp(section, CONFIGURATION_ALL) != 0;

	for (size_t i = source + !is_weaker_here; !found && i < CONFIGURATION_N_SOURCES; i++) {
		const struct configuration_file *file = &configuration->files[i];

		*source_ret = i;
		found = find_in(file, section, setting->name, opposite);
		if (!found && i > source)
			found = find_in(file, CONFIGURATION_ALL, setting->name, opposite);
	}
	return found;
}

const struct setting *option_settings_stronger(const struct configuration *configuration,
					       const struct setting *setting, size_t source,
					       size_t *source_ret)
{
	return find_stronger(configuration, setting, setting->section, source, NULL, source_ret);
}

static bool is_given(const struct given_options *given, const struct command_option *option)
{
	for (size_t i = 0; i < given->n; i++) {
		const struct given_name *name = &given->names[i];

		if (name->option == option ||
		    (option->opposite && !name->is_negated && name->option->name &&
		     strcmp(name->option->name, option->opposite) == 0))
			return true;
	}
	return false;
}

static int take_value(const struct taking *taking, const char *value, void *target)
{
	_cleanup_free_ char *spelling = sentence("%s:%u: %s", taking->file->path,
						 taking->setting->line, taking->setting->name);
	const struct command_option *option = taking->found.option;
	struct option_use use = { .command = taking->line->command,
				  .option = option,
				  .spelling = spelling };

	if (value)
		use.value = configuration_copy(taking->configuration, value);
	if (!spelling || (value && !use.value))
		return -ENOMEM;
	return option->take(&use, (char *)target + taking->found.offset);
}

static int take(const struct taking *taking, void *target, char **wrong_ret)
{
	const struct command_option *option = taking->found.option;
	const char *value = taking->setting->value;
	const bool may_lack_value =
		!option->argument || option->is_value_optional || option->is_value_loose;

	if (may_lack_value && strcmp(value, "false") == 0)
		return 0;
	if (may_lack_value && strcmp(value, "true") == 0)
		return take_value(taking, NULL, target);
	if (option->argument)
		return take_value(taking, value, target);
	*wrong_ret = sentence("%s:%u: %s is true or false, not '%s'.", taking->file->path,
			      taking->setting->line, taking->setting->name, value);
	return *wrong_ret ? -EINVAL : -ENOMEM;
}

static int take_section(struct taking *taking, size_t source, const char *section,
			const struct given_options *given, void *target, char **wrong_ret)
{
	const struct configuration_file *file = &taking->configuration->files[source];
	int status = 0;

	taking->file = file;
	for (size_t i = 0, stronger; !status && i < file->n_settings; i++) {
		const struct setting *setting = &file->settings[i];
		const struct found_option found = option_find_setting(taking->line, setting->name);

		if (strcmp(setting->section, section) != 0 || !found.option ||
		    found.option->not_a_setting || is_given(given, found.option) ||
		    find_stronger(taking->configuration, setting, taking->line->command, source,
				  found.option->opposite, &stronger))
			continue;
		taking->setting = setting;
		taking->found = found;
		status = take(taking, target, wrong_ret);
	}
	return status;
}

int option_settings_take(const struct command_line *line, struct configuration *configuration,
			 const struct given_options *given, void *target, char **wrong_ret)
{
	struct taking taking = { .line = line, .configuration = configuration };
	int status = 0;

	for (size_t i = 0; !status && i < CONFIGURATION_N_SOURCES; i++) {
		status = take_section(&taking, i, CONFIGURATION_ALL, given, target, wrong_ret);
		if (!status)
			status = take_section(&taking, i, line->command, given, target, wrong_ret);
	}
	return status;
}

/* What is said of a setting that no command can have: of its name, and what is near. */
struct verdict {
	bool has_section, is_fine;
	const char *refusal; /* NULL: none */
	struct near_names sections, options;
};

static void judge(struct verdict *verdict, const struct command_line *line,
		  const struct setting *setting)
{
	const struct command_option *option;
	struct option_walk walk = { .row = line->options };
	size_t offset;

	near_names_offer(&verdict->sections, line->command);
	if (!is_of_all(setting) && strcmp(setting->section, line->command) != 0)
		return;
	verdict->has_section = true;
	while ((option = option_walk_next(&walk, &offset))) {
		if (!option->name)
			continue;
		if (!option->not_a_setting)
			near_names_offer(&verdict->options, option->name);
		if (strcmp(option->name, setting->name) != 0)
			continue;
		verdict->is_fine |= !option->not_a_setting;
		verdict->refusal = option->not_a_setting;
	}
}

static char *explain(const struct verdict *verdict, const char *path, const struct setting *setting)
{
	const char *section = setting->section;
	_cleanup_free_ char *question =
		near_names_question(verdict->has_section ? &verdict->options : &verdict->sections);

	if (!question)
		return NULL;
	if (!verdict->has_section)
		return sentence("%s:%u: there is no command '%s'%s%s", path, setting->line, section,
				question, *question ? "" : ".");
	if (verdict->refusal)
		return sentence("%s:%u: '%s' can't be set in a file: %s.", path, setting->line,
				setting->name, verdict->refusal);
	return sentence("%s:%u: %s %s option '%s'%s%s", path, setting->line,
			is_of_all(setting) ? "no command" : section,
			is_of_all(setting) ? "has the" : "has no", setting->name, question,
			*question ? "" : ".");
}

int option_settings_check(const struct configuration *configuration,
			  const struct command_line *const *lines, size_t n_lines, char **wrong_ret)
{
	for (size_t i = 0; i < CONFIGURATION_N_SOURCES; i++) {
		const struct configuration_file *file = &configuration->files[i];

		for (size_t k = 0; k < file->n_settings; k++) {
			const struct setting *setting = &file->settings[k];
			struct verdict verdict = { 0 };

			near_names_init(&verdict.sections, setting->section,
					strlen(setting->section));
			near_names_init(&verdict.options, setting->name, strlen(setting->name));
			for (size_t n = 0; n < n_lines; n++)
				judge(&verdict, lines[n], setting);
			if (verdict.is_fine)
				continue;
			*wrong_ret = explain(&verdict, file->path, setting);
			return *wrong_ret ? -EINVAL : -ENOMEM;
		}
	}
	return 0;
}
