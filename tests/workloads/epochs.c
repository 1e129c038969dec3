/*
 * Works in before(), loads libalpha.so and works in it, loads libgamma.so and works in it, then
 * executes itself as "epochs again", which works in again(). For each library it prints when it
 * began to load it, and when that was done, by CLOCK_MONOTONIC: "alpha BEGIN END".
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define SECONDS 0.1 /* of work in each function */

typedef void (*work_function)(unsigned n);

static FUNCTION void call(work_function work)
{
	struct rounds rounds = rounds_of(SECONDS);

	for (unsigned n; (n = rounds_next(&rounds)) > 0;)
		work(n);
}

static FUNCTION void before(unsigned n)
{
	units(n);
}

static FUNCTION void again(unsigned n)
{
	units(n + 1);
}

static void run_library(const char *folder, const char *name)
{
	char path[PATH_MAX], symbol[64];

	snprintf(path, sizeof(path), "%s/lib%s.so", folder, name);
	snprintf(symbol, sizeof(symbol), "%s_work", name);
	const uint64_t begin_ns = now_ns();
	void *library = dlopen(path, RTLD_NOW);
	const uint64_t end_ns = now_ns();
	work_function work = library ? (work_function)dlsym(library, symbol) : NULL;
	if (!work) {
		fprintf(stderr, "epochs: %s\n", dlerror());
		exit(1);
	}
	printf("%s %" PRIu64 " %" PRIu64 "\n", name, begin_ns, end_ns);
	call(work);
}

int main(int argc, char **argv)
{
	char folder[PATH_MAX];

	if (argc > 1) {
		call(again);
		return 0;
	}
	snprintf(folder, sizeof(folder), "%s", argv[0]);
	char *slash = strrchr(folder, '/');
	if (!slash)
		return 1;
	*slash = '\0';
	call(before);
	run_library(folder, "alpha");
	run_library(folder, "gamma");
	fflush(stdout);
	execl(argv[0], argv[0], "again", (char *)NULL);
	perror("exec");
	return 1;
}
