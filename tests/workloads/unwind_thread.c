/* A thread that calls, beside a main thread that waits for it. */
#include <pthread.h>
#include <stddef.h>

static volatile int sink;

static __attribute__((noinline)) int recurse(int n)
{
	int below = n > 0 ? recurse(n - 1) : 0;

	return below + sink;
}

static void *work(void *argument)
{
	(void)argument;
	sink = recurse(5);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL))
		return 1;
	return pthread_join(thread, NULL) || recurse(2);
}
