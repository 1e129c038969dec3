/* Built instead of changes_screen.c where ncurses is missing. */
#include <errno.h>

#include "report/changes/changes_screen.h"

int changes_screen_run(const struct diff *paths, const struct diff *functions, bool color)
{
	(void)paths;
	(void)functions;
	(void)color;
	return -ENOSYS;
}
