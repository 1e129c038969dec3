// C++ exceptions in flight, and threads that are unwound: for a single-stepping test.
#include <pthread.h>
#include <stdlib.h>

#define noinline __attribute__((noinline))

static volatile int sink;

static noinline int leaf(int n)
{
	return n * sink;
}

struct cleanup {
	int n;
	noinline ~cleanup()
	{
		sink = leaf(n);
	}
};

static noinline int throw_below(int depth)
{
	cleanup at_end = { depth };

	if (depth == 0)
		throw 7;
	return throw_below(depth - 1) + leaf(depth);
}

static noinline int catch_here(int depth)
{
	try {
		return throw_below(depth);
	} catch (int n) {
		return leaf(n);
	}
}

// The landing pad's function is realigned and has a stack of variable size.
static noinline int catch_realigned(int n)
{
	int values[16] __attribute__((aligned(64)));
	char *bytes = static_cast<char *>(__builtin_alloca(static_cast<size_t>(n)));

	for (int i = 0; i < 16; i++)
		values[i] = leaf(i);
	bytes[0] = 1;
	try {
		sink = throw_below(2);
	} catch (int thrown) {
		sink = values[thrown] + bytes[0];
	}
	return leaf(values[n & 15]);
}

static noinline int throw_again(void)
{
	try {
		try {
			throw_below(1);
		} catch (int) {
			cleanup at_end = { 3 };
			throw;
		}
	} catch (int n) {
		return leaf(n);
	}
	return 0;
}

static noinline int catch_all(void)
{
	try {
		throw 1.5;
	} catch (...) {
		return leaf(2);
	}
}

static noinline void leave(int depth)
{
	cleanup at_end = { depth };

	if (depth == 0)
		pthread_exit(nullptr);
	leave(depth - 1);
}

static void *thread_main(void *)
{
	leave(2);
	return nullptr;
}

int main()
{
	pthread_t thread;

	sink = catch_here(0) + catch_here(3) + catch_realigned(40) + throw_again() + catch_all();
	if (pthread_create(&thread, nullptr, thread_main, nullptr))
		return 1;
	return pthread_join(thread, nullptr);
}
