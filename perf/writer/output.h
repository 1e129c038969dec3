/*
 * A queue of bytes for a file and a thread that writes them, so that a slow disk does not keep the
 * caller from emptying the rings. The caller waits only if the queue is full. The thread gets the
 * caller's priority when much waits.
 *
 * Errors persist. One caller at a time.
 */
#ifndef PERF_WRITER_OUTPUT_H
#define PERF_WRITER_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

struct output;

/* @fd: borrowed. @queue_size: bytes that may wait; memory is touched only as far as needed,
 * and given back, but for 64 MiB, when the queue runs empty. */
int output_create(int fd, size_t queue_size, struct output **output_ret);
/* Discards the bytes that still wait. */
void output_destroy(struct output *output);

/* Copies @bytes into the queue, to be written when a MiB waits or the queue is full, or by
 * output_flush(): each time wakes the thread. 0, or the -errno of an earlier write. */
int output_write(struct output *output, const void *bytes, size_t size);
/* What waits is written now; does not wait for it. */
void output_flush(struct output *output);
/* Waits until everything is written. 0 or -errno. */
int output_drain(struct output *output);
/* Bytes that reached @fd. */
uint64_t output_n_written(const struct output *output);
/* Bytes that the thread has to write; 0 after an error, as none of them will be written. */
size_t output_n_waiting(struct output *output);

#endif
