/*
 * Loads two libraries in turn, each at the address the other one just left, and gives them work in
 * the ratio 1:2. Their code has one layout, only the names differ: an address alone does not tell
 * them apart. Prints how often a library did not come to the common address, and fails then.
 * reload [SECONDS [TURNS]]: as long as that, or that often.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "work.h"

typedef void (*work_function)(unsigned n);

static void *common_address;
static unsigned n_elsewhere;

static FUNCTION void call_library(work_function work, unsigned n)
{
	work(n);
	KEEP_FRAME();
}

static void run_library(const char *folder, const char *name, unsigned n)
{
	char path[PATH_MAX], symbol[64];

	snprintf(path, sizeof(path), "%s/lib%s.so", folder, name);
	snprintf(symbol, sizeof(symbol), "%s_work", name);

	void *library = dlopen(path, RTLD_NOW);
	work_function work = library ? (work_function)dlsym(library, symbol) : NULL;
	if (!work) {
		fprintf(stderr, "reload: %s\n", dlerror());
		exit(1);
	}
	if (!common_address)
		common_address = (void *)work;
	n_elsewhere += common_address != (void *)work;
	call_library(work, n);
	dlclose(library);
}

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	char folder[PATH_MAX];
	unsigned n, n_turns = argc > 2 ? (unsigned)atoi(argv[2]) : 0;

	snprintf(folder, sizeof(folder), "%s", argv[0]);
	char *slash = strrchr(folder, '/');
	if (!slash)
		return 1;
	*slash = '\0';
	if (n_turns)
		rounds.end_ns = UINT64_MAX;
	for (unsigned turn = 0; (!n_turns || turn < n_turns) && (n = rounds_next(&rounds));
	     turn++) {
		run_library(folder, "alpha", n);
		run_library(folder, "gamma", 2 * n);
	}
	printf("%u loads elsewhere\n", n_elsewhere);
	return n_elsewhere != 0;
}
