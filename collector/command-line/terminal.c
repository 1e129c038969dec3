#include "collector/command-line/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "collector/command-line/option_values.h"

static const struct choice colors[] = {
	{ "auto", COLOR_AUTO },
	{ "always", COLOR_ALWAYS },
	{ "never", COLOR_NEVER },
	{ NULL, 0 },
};

const struct command_option color_option[] = {
	{ .name = "color",
	  .argument = "WHEN",
	  .help = "colour the text: auto (default: on a terminal, unless NO_COLOR is set), always "
		  "or "
		  "never",
	  .take = option_take_choice,
	  .choices = colors },
	{ 0 },
};

bool terminal_wants_color(enum color_use use, bool is_terminal)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (use != COLOR_AUTO)
		return use == COLOR_ALWAYS;
	return is_terminal && !(no_color && *no_color) &&
	       !(terminal && strcmp(terminal, "dumb") == 0);
}

unsigned terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	unsigned width = columns ? (unsigned)strtoul(columns, NULL, 10) : 0;

	if (width)
		return width;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
