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

int browse_screen_open(struct browse *browse, bool color, struct browse_screen **screen_ret)
{
	(void)screen_ret;
	return browse_screen_run(browse, color);
}

void browse_screen_close(struct browse_screen *screen)
{
	(void)screen;
}

int browse_screen_step(struct browse_screen *screen, int wake_fd, int timeout_ms,
		       enum browse_action *action_ret)
{
	(void)screen;
	(void)wake_fd;
	(void)timeout_ms;
	*action_ret = ACTION_NONE;
	return -ENOSYS;
}

bool browse_screen_is_done(const struct browse_screen *screen)
{
	(void)screen;
	return true;
}

bool browse_screen_shows_rows(const struct browse_screen *screen)
{
	(void)screen;
	return true;
}
