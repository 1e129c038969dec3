/* Built instead of browse_screen.c where ncurses is missing. */
#include <errno.h>

#include "report/browse/browse_screen.h"

bool browse_screen_is_there(void)
{
	return false;
}

int browse_screen_run(struct browse *browse, bool color)
{
	(void)browse;
	(void)color;
	return -ENOSYS;
}
