#include "collector/agent/service_notify.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cct/base/clock.h"
#include "cct/base/numbers.h"

/* "/path", or "@name" of the abstract namespace. */
static int connect_to(int fd, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const size_t size = strlen(path);

	if ((*path != '/' && *path != '@') || size < 2)
		return -EINVAL;
	if (size >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, size);
	if (*path == '@')
		address.sun_path[0] = '\0';
	return connect(fd, (struct sockaddr *)&address,
		       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size))
		       ? -errno
		       : 0;
}

/* The time after which the manager gives up; 0: none, or that of another process. */
static uint64_t read_watchdog_ns(void)
{
	const char *time = getenv("WATCHDOG_USEC"), *process = getenv("WATCHDOG_PID");
	uint64_t us, pid;

	if (!time || numbers_parse(time, UINT64_MAX / NSEC_PER_USEC, &us))
		return 0;
	if (process && (numbers_parse(process, INT32_MAX, &pid) || (pid_t)pid != getpid()))
		return 0;
	return us * NSEC_PER_USEC;
}

static int open_socket(struct service_notify *notify, const char *path)
{
	notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (notify->fd < 0)
		return -errno;
	int err = connect_to(notify->fd, path);
	if (err)
		service_notify_close(notify);
	return err;
}

int service_notify_open(struct service_notify *notify)
{
	const char *path = getenv("NOTIFY_SOCKET");

	*notify = (struct service_notify){ .fd = -1 };
	int err = path ? open_socket(notify, path) : 0;
	if (notify->fd >= 0)
		notify->interval_ns = read_watchdog_ns() / 2;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	return err;
}

int service_notify_send(const struct service_notify *notify, const char *state)
{
	if (notify->fd < 0)
		return 0;
	return send(notify->fd, state, strlen(state), MSG_NOSIGNAL) < 0 ? -errno : 0;
}

void service_notify_close(struct service_notify *notify)
{
	if (notify->fd >= 0)
		close(notify->fd);
	notify->fd = -1;
}
