/*
 * Wakes the recorder at samples whose stack it has not seen: of a new thread, or of one that has
 * gone deeper or to another stack. A BPF program compares, at each sample, the thread and its stack
 * pointer with what the recorder has said that it knows.
 *
 * The kernel and the recorder share a table of threads by their number; where two have one place,
 * either is unknown when the other one is known. Numbers of threads belong to the first pid
 * namespace: in another one each thread is unknown.
 */
#ifndef PERF_KERNEL_STACK_WATCH_H
#define PERF_KERNEL_STACK_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perf/kernel/bpf.h"

struct stack_watch;

/* Nothing is known, and nothing wakes. 0 or -errno (-EINVAL: before Linux 5.8). */
int stack_watch_create(struct stack_watch **watch_ret);
/* NULL is fine. A program that has its check goes on, without effect. */
void stack_watch_destroy(struct stack_watch *watch);
/*
 * Adds the check to a program as a function with the label @function: R1: the user's stack pointer;
 * 0: the thread has none. Takes the labels from @first_label on, STACK_WATCH_LABELS of them.
 */
#define STACK_WATCH_LABELS 2
void stack_watch_add_check(const struct stack_watch *watch, struct bpf_code *code, size_t function,
			   size_t first_label);

/* Readable once a sample has woken. */
int stack_watch_fd(const struct stack_watch *watch);
/* The next sample with an unknown stack wakes, once. */
void stack_watch_arm(struct stack_watch *watch);
/* Whether a sample has woken since the last call. */
bool stack_watch_take(struct stack_watch *watch);
/* Stack pointers of a thread from @low to before @high are known, and no others. */
void stack_watch_know(struct stack_watch *watch, pid_t tid, uint64_t low, uint64_t high);
/* The thread has ended, or executes another program. */
void stack_watch_forget(struct stack_watch *watch, pid_t tid);

#endif
