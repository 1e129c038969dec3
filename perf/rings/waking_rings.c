#include "perf/rings/waking_rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "perf/rings/ring.h"

/* 16 000 wakings. Where the mlock limit does not permit that, less is tried. */
#define RING_SIZE     (1u << 20)
#define RING_SIZE_MIN (1u << 14)

/* PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW; the data follow. */
struct waking_sample {
	struct perf_event_header header;
	int32_t pid, tid;
	uint64_t time_ns;
	uint32_t data_size;
};
#define DATA_OFFSET (offsetof(struct waking_sample, data_size) + sizeof(uint32_t))

/* The kernel's struct trace_entry, with which the data of each tracepoint begin, and enum
 * trace_flag_type (include/linux/trace_events.h). */
#define FLAGS_OFFSET 2
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10
#define FLAG_NMI     0x40

struct lost_record {
	struct perf_event_header header;
	uint64_t id, n;
};

struct waking_ring {
	int fd;
	struct ring ring;
};

struct waking_rings {
	struct waking_ring *cpus;
	size_t n_cpus;
	size_t next; /* the ring that is read */
	size_t tid_offset;
	int wake_fd;
	uint64_t n_lost;
};

static enum waking_context context_of(uint8_t flags)
{
	if (flags & (FLAG_HARDIRQ | FLAG_NMI))
		return WAKING_IN_INTERRUPT;
	return flags & FLAG_SOFTIRQ ? WAKING_IN_SOFTIRQ : WAKING_IN_THREAD;
}

bool waking_decode(const struct perf_event_header *header, size_t tid_offset, struct waking *ret)
{
	const uint8_t *data = (const uint8_t *)header + DATA_OFFSET;
	struct waking_sample sample;
	int32_t tid;

	if (header->type != PERF_RECORD_SAMPLE || header->size < DATA_OFFSET)
		return false;
	memcpy(&sample, header, DATA_OFFSET);
	if (sample.data_size > header->size - DATA_OFFSET || sample.data_size <= FLAGS_OFFSET ||
	    tid_offset > sample.data_size || sample.data_size - tid_offset < sizeof(tid))
		return false;
	memcpy(&tid, data + tid_offset, sizeof(tid));
	*ret = (struct waking){ .time_ns = sample.time_ns,
				.tid = tid,
				.waker_pid = sample.pid,
				.waker_tid = sample.tid,
				.context = context_of(data[FLAGS_OFFSET]) };
	return true;
}

static int map_ring(struct waking_ring *ring)
{
	int err = -ENOMEM;

	for (size_t size = RING_SIZE; size >= RING_SIZE_MIN; size /= 2) {
		err = ring_map(&ring->ring, ring->fd, size);
		if (err != -EPERM && err != -ENOMEM)
			break;
	}
	return err;
}

static int open_cpu(struct waking_rings *rings, struct perf_event_attr *attr, int cpu)
{
	struct waking_ring *ring = &rings->cpus[rings->n_cpus];
	struct epoll_event wanted = { .events = EPOLLIN };

	ring->fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return -errno;
	rings->n_cpus++;
	int err = map_ring(ring);
	if (err)
		return err;
	return epoll_ctl(rings->wake_fd, EPOLL_CTL_ADD, ring->fd, &wanted) < 0 ? -errno : 0;
}

static void fill_attr(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	attr->disabled = 1;
	attr->watermark = 1;
	attr->wakeup_watermark = RING_SIZE / 2;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
}

int waking_rings_open(struct perf_event_attr *attr, size_t tid_offset, const int *cpus,
		      size_t n_cpus, struct waking_rings **rings_ret)
{
	struct waking_rings *rings = calloc(1, sizeof(*rings));

	if (!rings)
		return -ENOMEM;
	fill_attr(attr);
	rings->tid_offset = tid_offset;
	rings->cpus = calloc(n_cpus, sizeof(*rings->cpus));
	rings->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	int err = !rings->cpus ? -ENOMEM : rings->wake_fd < 0 ? -errno : 0;
	for (size_t i = 0; i < n_cpus && !err; i++)
		err = open_cpu(rings, attr, cpus[i]);
	if (err) {
		waking_rings_close(rings);
		return err;
	}
	*rings_ret = rings;
	return 0;
}

void waking_rings_close(struct waking_rings *rings)
{
	if (!rings)
		return;
	for (size_t i = 0; i < rings->n_cpus; i++) {
		ring_unmap(&rings->cpus[i].ring);
		close(rings->cpus[i].fd);
	}
	cleanup_close(&rings->wake_fd);
	free(rings->cpus);
	free(rings);
}

void waking_rings_enable(struct waking_rings *rings)
{
	for (size_t i = 0; i < rings->n_cpus; i++)
		ioctl(rings->cpus[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

int waking_rings_fd(const struct waking_rings *rings)
{
	return rings->wake_fd;
}

void waking_rings_begin(struct waking_rings *rings)
{
	rings->next = 0;
	for (size_t i = 0; i < rings->n_cpus; i++)
		ring_begin(&rings->cpus[i].ring);
}

static uint64_t count_lost(const struct perf_event_header *header)
{
	struct lost_record lost;

	if (header->type != PERF_RECORD_LOST || header->size < sizeof(lost))
		return 0;
	memcpy(&lost, header, sizeof(lost));
	return lost.n;
}

bool waking_rings_next(struct waking_rings *rings, struct waking *ret)
{
	const struct perf_event_header *header;

	for (; rings->next < rings->n_cpus; rings->next++) {
		struct ring *ring = &rings->cpus[rings->next].ring;

		while ((header = ring_next(ring))) {
			if (waking_decode(header, rings->tid_offset, ret))
				return true;
			rings->n_lost += count_lost(header);
		}
		ring->tail = ring->head; /* also what is garbage */
		ring_end(ring);
	}
	return false;
}

uint64_t waking_rings_n_lost(const struct waking_rings *rings)
{
	return rings->n_lost;
}
