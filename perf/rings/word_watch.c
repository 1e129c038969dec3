#include "perf/rings/word_watch.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perf/rings/ring.h"

struct word_watch {
	uint64_t addrs[WORD_WATCH_MAX];
	uint64_t touched_ns[WORD_WATCH_MAX];
	int fds[WORD_WATCH_MAX]; /* -1: not watched */
	size_t n;
	struct ring ring; /* the ring of its owner; the other counters write to it, too */
	int owner;        /* a file descriptor; -1: none yet */
};

/* PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR */
struct touch {
	struct perf_event_header header;
	uint64_t time_ns, addr;
};

static int open_breakpoint(pid_t tid, uint64_t addr, size_t size)
{
	/* Kernel accesses are left out: the kernel reads the stack with every sample, and a word
	 * that it writes for a system call is not a return address. */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = PERF_ATTR_SIZE_VER5,
		.bp_type = HW_BREAKPOINT_RW,
		.bp_addr = addr,
		.bp_len = size,
		.sample_period = 1,
		.wakeup_events = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int join_ring(struct word_watch *watch, int fd)
{
	if (watch->owner >= 0)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, watch->owner) < 0 ? -errno : 0;
	int err = ring_map(&watch->ring, fd, (size_t)sysconf(_SC_PAGESIZE));
	if (!err)
		watch->owner = fd;
	return err;
}

static int watch_word(struct word_watch *watch, pid_t tid, size_t index, size_t size)
{
	int fd = open_breakpoint(tid, watch->addrs[index], size);

	if (fd < 0)
		return fd;
	int err = join_ring(watch, fd);
	/* Enables it for one overflow. */
	if (!err && ioctl(fd, PERF_EVENT_IOC_REFRESH, 1) < 0)
		err = -errno;
	watch->fds[index] = fd;
	if (err && fd != watch->owner) {
		close(fd);
		watch->fds[index] = -1;
	}
	return err;
}

int word_watch_open(pid_t tid, const uint64_t *addrs, size_t n, size_t size,
		    struct word_watch **watch_ret)
{
	struct word_watch *watch = calloc(1, sizeof(*watch));
	int err = 0;

	if (!watch)
		return -ENOMEM;
	watch->owner = -1;
	watch->n = n;
	memset(watch->fds, -1, sizeof(watch->fds));
	memcpy(watch->addrs, addrs, n * sizeof(*addrs));
	for (size_t i = n; i-- > 0 && !err;)
		err = watch_word(watch, tid, i, size);
	if (!word_watch_set(watch)) {
		word_watch_close(watch);
		return err ? err : -EINVAL;
	}
	*watch_ret = watch;
	return 0;
}

void word_watch_close(struct word_watch *watch)
{
	if (!watch)
		return;
	ring_unmap(&watch->ring);
	for (size_t i = 0; i < watch->n; i++) {
		if (watch->fds[i] >= 0)
			close(watch->fds[i]);
	}
	free(watch);
}

int word_watch_fd(const struct word_watch *watch)
{
	return watch->owner;
}

unsigned word_watch_set(const struct word_watch *watch)
{
	unsigned set = 0;

	for (size_t i = 0; i < watch->n; i++)
		set |= (unsigned)(watch->fds[i] >= 0) << i;
	return set;
}

static void note_touch(struct word_watch *watch, const struct touch *touch)
{
	for (size_t i = 0; i < watch->n; i++) {
		if (watch->addrs[i] == touch->addr && !watch->touched_ns[i])
			watch->touched_ns[i] = touch->time_ns;
	}
}

uint64_t word_watch_touched(struct word_watch *watch, size_t index)
{
	const struct perf_event_header *header;

	if (ring_begin(&watch->ring)) {
		while ((header = ring_next(&watch->ring))) {
			struct touch touch;

			if (header->type != PERF_RECORD_SAMPLE || header->size < sizeof(touch))
				continue;
			memcpy(&touch, header, sizeof(touch));
			note_touch(watch, &touch);
		}
		ring_end(&watch->ring);
	}
	return watch->touched_ns[index];
}
