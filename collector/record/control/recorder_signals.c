#include "collector/record/control/recorder_signals.h"

#include <errno.h>
#include <unistd.h>

#include "cct/base/cleanup.h"

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1, SIGUSR2 };

void recorder_signals_init(struct recorder_signals *signals)
{
	*signals = (struct recorder_signals){ .fd = -1 };
}

void recorder_signals_block(struct recorder_signals *signals)
{
	sigemptyset(&signals->caught);
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		sigaddset(&signals->caught, caught[i]);
	sigprocmask(SIG_BLOCK, &signals->caught, &signals->old_mask);
	signals->is_blocked = true;
	signal(SIGPIPE, SIG_IGN);
}

void recorder_signals_leave_parts(struct recorder_signals *signals)
{
	sigset_t left;

	sigdelset(&signals->caught, SIGUSR2);
	sigemptyset(&left);
	sigaddset(&left, SIGUSR2);
	if (!sigismember(&signals->old_mask, SIGUSR2))
		sigprocmask(SIG_UNBLOCK, &left, NULL);
}

int recorder_signals_open(struct recorder_signals *signals)
{
	signals->fd = signalfd(-1, &signals->caught, SFD_CLOEXEC | SFD_NONBLOCK);
	return signals->fd < 0 ? -errno : 0;
}

bool recorder_signals_next(struct recorder_signals *signals, struct signalfd_siginfo *info_ret)
{
	return read(signals->fd, info_ret, sizeof(*info_ret)) == sizeof(*info_ret);
}

void recorder_signals_release(struct recorder_signals *signals)
{
	if (!signals->is_blocked)
		return;
	signals->is_blocked = false;
	signal(SIGUSR1, SIG_IGN);
	if (sigismember(&signals->caught, SIGUSR2))
		signal(SIGUSR2, SIG_IGN);
	sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}

void recorder_signals_deinit(struct recorder_signals *signals)
{
	recorder_signals_release(signals);
	cleanup_close(&signals->fd);
}
