#include "collector/command-line/option_values.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/int_list.h"
#include "cct/base/numbers.h"
#include "cct/base/sentence.h"
#include "cct/system/cpu_list.h"
#include "collector/command-line/messages.h"
#include "collector/record/live/targets.h"

static const struct choice formats[] = {
	{ "text", AS_TEXT },
	{ "json", AS_JSON },
	{ NULL, 0 },
};

const struct command_option text_or_json_option[] = {
	{ .name = "format",
	  .letter = 'f',
	  .argument = "FORMAT",
	  .help = "text (default) or json",
	  .take = option_take_choice,
	  .choices = formats },
	{ 0 },
};

int option_wrong_value(const struct option_use *use, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	_cleanup_free_ char *wanted = sentence_v(format, args);
	va_end(args);
	return option_wrong_use(use, "%s takes %s, not '%s'", use->spelling,
				wanted ? wanted : "another value", use->value);
}

int option_take_flag(const struct option_use *use, void *field)
{
	(void)use;
	*(bool *)field = true;
	return 0;
}

int option_take_nothing(const struct option_use *use, void *field)
{
	(void)use;
	(void)field;
	return 0;
}

int option_refuse(const struct option_use *use, void *field)
{
	(void)field;
	message_error(use->command, "%s is not supported: %s.", use->spelling, use->option->help);
	return EXIT_WRONG_USE;
}

int option_take_text(const struct option_use *use, void *field)
{
	(void)use;
	*(const char **)field = use->value;
	return 0;
}

int option_take_constant(const struct option_use *use, void *field)
{
	*(int *)field = use->option->constant;
	return 0;
}

/* "a, b or c" */
static int complain_of_choice(const struct option_use *use)
{
	char names[256] = "";
	size_t size = 0;

	for (const struct choice *choice = use->option->choices; choice->name; choice++) {
		const char *separator = !size ? "" : choice[1].name ? ", " : " or ";

		if (size < sizeof(names))
			size += (size_t)snprintf(names + size, sizeof(names) - size, "%s%s",
						 separator, choice->name);
	}
	return option_wrong_value(use, "%s", names);
}

int option_take_choice(const struct option_use *use, void *field)
{
	for (const struct choice *choice = use->option->choices; choice->name; choice++) {
		if (strcmp(choice->name, use->value) == 0) {
			*(int *)field = choice->value;
			return 0;
		}
	}
	return complain_of_choice(use);
}

static int take_list(const struct option_use *use, int max, void *field)
{
	int err = int_list_add(field, use->value, max);

	if (err == -ENOMEM)
		return message_error_of_memory(use->command);
	return err ? option_wrong_value(use, "numbers like 1,2 or 4-7") : 0;
}

int option_take_ids(const struct option_use *use, void *field)
{
	return take_list(use, TARGET_PID_MAX, field);
}

int option_take_cpus(const struct option_use *use, void *field)
{
	return take_list(use, CPU_MAX, field);
}

int option_take_percent(const struct option_use *use, void *field)
{
	if (numbers_parse_percent(use->value, field))
		return option_wrong_value(use, "a percentage from 0 to 100");
	return 0;
}
