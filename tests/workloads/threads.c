/*
 * Three threads, worker-1 to worker-3, with work in the ratio 1:2:3. They take turns, so that
 * processors of unequal speed do not change the shares.
 */
#include <pthread.h>
#include <stdio.h>

#include "work.h"

#define N_THREADS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static int turn; /* 0: main; 1..N_THREADS: that thread */
static unsigned round_size;

static void wait_for_turn(int mine)
{
	pthread_mutex_lock(&lock);
	while (turn != mine)
		pthread_cond_wait(&turn_changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void pass_turn(int next)
{
	pthread_mutex_lock(&lock);
	turn = next;
	pthread_cond_broadcast(&turn_changed);
	pthread_mutex_unlock(&lock);
}

static FUNCTION void thread_work(unsigned n)
{
	units(n);
}

static void *thread_main(void *argument)
{
	int number = (int)(intptr_t)argument;
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", number);
	pthread_setname_np(pthread_self(), name);
	for (;;) {
		wait_for_turn(number);
		unsigned n = round_size;
		if (n)
			thread_work(n * (unsigned)number);
		pass_turn((number + 1) % (N_THREADS + 1));
		if (!n)
			return NULL;
	}
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	pthread_t threads[N_THREADS];

	for (int i = 0; i < N_THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread_main, (void *)(intptr_t)(i + 1)))
			return 1;
	do {
		round_size = rounds_next(&rounds);
		pass_turn(1);
		wait_for_turn(0);
	} while (round_size);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
