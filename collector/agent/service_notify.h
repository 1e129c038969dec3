/*
 * What the manager of services, systemd, wants to know of a service of Type=notify: that it is
 * ready, and now and then that it still works (sd_notify(3), sd_watchdog_enabled(3)). A datagram to
 * the socket that it names in the environment; without one, nothing happens.
 */
#ifndef COLLECTOR_AGENT_SERVICE_NOTIFY_H
#define COLLECTOR_AGENT_SERVICE_NOTIFY_H

#include <stdint.h>

struct service_notify {
	int fd;               /* -1: nobody wants to know */
	uint64_t interval_ns; /* of SERVICE_ALIVE, half of what is permitted; 0: not wanted */
};

#define SERVICE_READY    "READY=1"
#define SERVICE_ALIVE    "WATCHDOG=1"
#define SERVICE_STOPPING "STOPPING=1"

/* Reads the environment, of this process, and removes these variables from it. 0 or -errno. */
int service_notify_open(struct service_notify *notify);
/* 0 or -errno. */
int service_notify_send(const struct service_notify *notify, const char *state);
void service_notify_close(struct service_notify *notify);

#endif
