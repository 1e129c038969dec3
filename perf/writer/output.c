#include "perf/writer/output.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf/writer/writer_thread.h"

/* More at once gives the kernel no better chance, and delays the freeing of queue space. */
#define WRITE_MAX (1u << 20)
/* Each time this much waits, the thread gets the caller's priority. */
#define LATE_SIZE ((size_t)4 << 20)
/* Memory that an empty queue keeps, and how much of the rest it gives back at once: the caller may
 * have to wait meanwhile. */
#define KEPT_SIZE ((size_t)64 << 20)
#define BACK_SIZE ((size_t)4 << 20)

struct output {
	int fd;
	uint8_t *queue;
	size_t queue_size;
	_Atomic uint64_t n_written;

	struct writer_thread thread;
	pthread_mutex_t lock;   /* inherits priority: the caller may be a real-time thread */
	pthread_cond_t changed; /* anything below */
	size_t head, tail;      /* [tail, head) waits; may pass the end, then [0, head) follows */
	size_t n_waiting, late_size; /* that waits when the thread is given a priority next */
	size_t n_touched;            /* bytes at the start of the queue that may have memory */
	bool is_due;                 /* what waits is to be written, until the queue is empty */
	int error;
	bool stop;
};

/* Contiguous bytes at the tail; 0: none wait. */
static size_t output_front(const struct output *output)
{
	size_t size = output->queue_size - output->tail;

	if (size > output->n_waiting)
		size = output->n_waiting;
	return size < WRITE_MAX ? size : WRITE_MAX;
}

/* A queue that ran empty starts over, so that little of it is ever touched. */
static void output_release(struct output *output, size_t size)
{
	output->n_waiting -= size;
	output->tail = (output->tail + size) % output->queue_size;
	if (output->n_waiting)
		return;
	output->head = output->tail = 0;
	output->late_size = LATE_SIZE;
	output->is_due = false;
}

/* false: there is nothing to give back. */
static bool give_memory_back(struct output *output)
{
	if (output->n_waiting || output->n_touched <= KEPT_SIZE)
		return false;
	const size_t rest = output->n_touched - KEPT_SIZE;
	const size_t size = rest % BACK_SIZE ? rest % BACK_SIZE : BACK_SIZE;

	output->n_touched -= size;
	madvise(output->queue + output->n_touched, size, MADV_DONTNEED);
	return true;
}

static void *output_thread(void *arg)
{
	struct output *output = arg;

	writer_thread_begin(&output->thread);
	pthread_mutex_lock(&output->lock);
	while (!output->stop) {
		size_t size = output->is_due ? output_front(output) : 0;
		if (!size && give_memory_back(output)) {
			pthread_mutex_unlock(&output->lock);
			pthread_mutex_lock(&output->lock);
			continue;
		}
		if (!size || output->error) {
			pthread_cond_wait(&output->changed, &output->lock);
			continue;
		}

		const uint8_t *bytes = output->queue + output->tail;
		pthread_mutex_unlock(&output->lock);
		ssize_t written = write(output->fd, bytes, size);
		int error = written < 0 ? errno : 0;
		pthread_mutex_lock(&output->lock);

		if (written > 0) {
			atomic_fetch_add(&output->n_written, (uint64_t)written);
			output_release(output, (size_t)written);
		} else if (error != EINTR) {
			output->error = error ? -error : -EIO;
		}
		pthread_cond_broadcast(&output->changed);
	}
	pthread_mutex_unlock(&output->lock);
	return NULL;
}

static void output_free(struct output *output)
{
	pthread_cond_destroy(&output->changed);
	pthread_mutex_destroy(&output->lock);
	munmap(output->queue, output->queue_size);
	free(output);
}

int output_create(int fd, size_t queue_size, struct output **output_ret)
{
	assert(queue_size > 0);
	struct output *output = calloc(1, sizeof(*output));
	if (!output)
		return -ENOMEM;

	output->fd = fd;
	output->queue_size = queue_size;
	output->late_size = LATE_SIZE;
	output->queue = mmap(NULL, queue_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (output->queue == MAP_FAILED) {
		free(output);
		return -ENOMEM;
	}
	writer_lock_init(&output->lock);
	pthread_cond_init(&output->changed, NULL);
	int err = writer_thread_start(&output->thread, output_thread, output);
	if (err) {
		output_free(output);
		return err;
	}
	*output_ret = output;
	return 0;
}

void output_destroy(struct output *output)
{
	if (!output)
		return;
	pthread_mutex_lock(&output->lock);
	output->stop = true;
	pthread_cond_broadcast(&output->changed);
	pthread_mutex_unlock(&output->lock);
	pthread_join(output->thread.thread, NULL);
	output_free(output);
}

/* Wakes the thread, if it is not at work. */
static void make_due(struct output *output)
{
	if (output->is_due || !output->n_waiting)
		return;
	output->is_due = true;
	pthread_cond_broadcast(&output->changed);
}

static void hurry(struct output *output)
{
	if (output->n_waiting < output->late_size)
		return;
	writer_thread_share_priority(&output->thread);
	output->late_size += LATE_SIZE;
}

int output_write(struct output *output, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	pthread_mutex_lock(&output->lock);
	while (size && !output->error) {
		size_t room = output->queue_size - output->n_waiting;
		if (!room) {
			make_due(output);
			pthread_cond_wait(&output->changed, &output->lock);
			continue;
		}

		size_t part = output->queue_size - output->head;
		if (part > room)
			part = room;
		if (part > size)
			part = size;
		/* The thread only reads [tail, head), which a copy beyond head leaves alone, but
		 * it may start over at 0 when that runs empty: so copy with the lock held. */
		memcpy(output->queue + output->head, from, part);
		if (output->head + part > output->n_touched)
			output->n_touched = output->head + part;
		output->head = (output->head + part) % output->queue_size;
		output->n_waiting += part;
		hurry(output);
		from += part;
		size -= part;
		if (output->n_waiting >= WRITE_MAX)
			make_due(output);
	}
	int err = output->error;
	pthread_mutex_unlock(&output->lock);
	return err;
}

void output_flush(struct output *output)
{
	pthread_mutex_lock(&output->lock);
	make_due(output);
	pthread_mutex_unlock(&output->lock);
}

int output_drain(struct output *output)
{
	pthread_mutex_lock(&output->lock);
	make_due(output);
	while (output->n_waiting && !output->error)
		pthread_cond_wait(&output->changed, &output->lock);
	int err = output->error;
	pthread_mutex_unlock(&output->lock);
	return err;
}

uint64_t output_n_written(const struct output *output)
{
	return atomic_load(&output->n_written);
}

size_t output_n_waiting(struct output *output)
{
	pthread_mutex_lock(&output->lock);
	size_t n = output->error || !output->is_due ? 0 : output->n_waiting;
	pthread_mutex_unlock(&output->lock);
	return n;
}
