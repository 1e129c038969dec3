#include "collector/command-line/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	unsigned width = columns ? (unsigned)strtoul(columns, NULL, 10) : 0;

	if (width)
		return width;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
