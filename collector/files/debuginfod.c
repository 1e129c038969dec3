#include "collector/files/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/object/elf_image.h"
#include "cct/object/module_file.h"
#include "cct/system/late_library.h"
#include "collector/files/debuginfod_program.h"
#include "collector/files/shown_naming.h"
#include "report/findings/missing.h"

/* elfutils/debuginfod.h: its functions are the same since elfutils 0.180. */
#define LIBRARY "libdebuginfod.so.1"

typedef struct debuginfod_client debuginfod_client;
typedef int find_function(debuginfod_client *client, const unsigned char *build_id, int size,
			  char **path);
typedef int progress_function(debuginfod_client *client, long done, long all);

struct library {
	bool is_here;
	debuginfod_client *(*begin)(void);
	void (*end)(debuginfod_client *client);
	void (*set_progressfn)(debuginfod_client *client, progress_function *function);
	void (*set_user_data)(debuginfod_client *client, void *data);
	void *(*get_user_data)(debuginfod_client *client);
	find_function *find_debuginfo, *find_executable;
};

struct fetching {
	struct library library;    /* where it is not here, the program is run instead */
	debuginfod_client *client; /* of the library */
	struct debuginfod_result result;
	uint64_t end_ns;
	const char *command, *name; /* for progress: of dendro, and of the module */
	bool is_terminal, has_line;
};

/* Set by the handler of SIGINT, which nothing can be passed to; reset before each fetch. */
static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int signal)
{
	(void)signal;
	is_interrupted = 1;
}

static void library_open(struct library *library)
{
	const struct late_function functions[] = {
		{ "debuginfod_begin", &library->begin },
		{ "debuginfod_end", &library->end },
		{ "debuginfod_set_progressfn", &library->set_progressfn },
		{ "debuginfod_set_user_data", &library->set_user_data },
		{ "debuginfod_get_user_data", &library->get_user_data },
		{ "debuginfod_find_debuginfo", &library->find_debuginfo },
		{ "debuginfod_find_executable", &library->find_executable },
	};
	const char *reason;

	library->is_here = !late_library_open(LIBRARY, functions,
					      sizeof(functions) / sizeof(functions[0]), &reason);
}

/* A callback gets the client alone, and the client's data by a function of the library. */
static struct fetching *fetching_of(debuginfod_client *client)
{
	struct library library;

	library_open(&library); /* it is loaded */
	return library.get_user_data(client);
}

static bool is_over(struct fetching *fetching)
{
	fetching->result.is_interrupted |= is_interrupted;
	fetching->result.is_out_of_time |= now_ns() >= fetching->end_ns;
	return fetching->result.is_interrupted || fetching->result.is_out_of_time;
}

static void show(struct fetching *fetching, long done, long all)
{
	if (!fetching->is_terminal)
		return;
	fetching->has_line = true;
	fprintf(stderr, "\r\033[Kdendro %s: fetching debug files: %u of %u, %.40s",
		fetching->command, fetching->result.n_fetched, fetching->result.n_wanted,
		fetching->name);
	if (all > 0)
		fprintf(stderr, ", %ld of %ld KiB", done / 1024, all / 1024);
	fputs(" (Ctrl-C: report without)", stderr);
}

/* About once a second. Not 0: give up. */
static int on_progress(debuginfod_client *client, long done, long all)
{
	struct fetching *fetching = fetching_of(client);

	show(fetching, done, all);
	return is_over(fetching);
}

static bool is_right(const char *path, const struct build_id *build_id)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	struct build_id found = { 0 };

	if (elf && elf_kind(elf) == ELF_K_ELF)
		elf_build_id(elf, &found);
	elf_end(elf);
	return found.size && build_id_equal(build_id, &found);
}

/* The path of the fetched file, on the heap; NULL: there is none. */
static char *find_by_library(struct fetching *fetching, find_function *find,
			     const struct build_id *build_id)
{
	char *path = NULL;
	int fd = find(fetching->client, build_id->bytes, build_id->size, &path);

	if (fd >= 0)
		close(fd);
	return fd >= 0 ? path : NULL;
}

static char *find_by_program(struct fetching *fetching, const char *kind,
			     const struct build_id *build_id)
{
	struct debuginfod_run run;

	if (debuginfod_run_start(&run, kind, build_id))
		return NULL;
	while (!debuginfod_run_wait(&run) && !is_over(fetching))
		;
	return debuginfod_run_finish(&run) ? strdup(run.path) : NULL;
}

/* Removes a file that is not the requested one: all users of the cache would get it. */
static bool fetch(struct fetching *fetching, bool is_executable, const struct build_id *build_id)
{
	const struct library *library = &fetching->library;

	if (is_over(fetching))
		return false;
	fetching->result.n_wanted++;
	show(fetching, 0, 0);
	_cleanup_free_ char *path =
		library->is_here
			? find_by_library(fetching,
					  is_executable ? library->find_executable
							: library->find_debuginfo,
					  build_id)
			: find_by_program(fetching, is_executable ? "executable" : "debuginfo",
					  build_id);
	bool is_good = path && is_right(path, build_id);
	if (path && !is_good) {
		unlink(path);
		fetching->result.n_refused++;
	}
	fetching->result.n_fetched += is_good;
	return is_good;
}

static void fetch_module(struct fetching *fetching, const struct module *module,
			 const struct symbol_problem *problem)
{
	fetching->name = module_name(module);
	if (problem->is_changed || problem->error)
		fetching->result.has_executables |= fetch(fetching, true, &problem->build_id);
	fetch(fetching, false, &problem->build_id);
}

/* A metric that says something of costs. */
static uint32_t choose_metric(const struct profile *profile)
{
	uint32_t metric = 0;

	while (metric + 1 < profile->n_metrics && !profile->metrics[metric].samples)
		metric++;
	return metric;
}

static int compare_costs(const void *a, const void *b, void *metric)
{
	uint64_t x = missing_cost(a, *(const uint32_t *)metric);
	uint64_t y = missing_cost(b, *(const uint32_t *)metric);

	return x > y ? -1 : x < y;
}

/* Names are missed before debug information is: one problem of each module is enough. */
static bool is_asked_for(const struct missing *item, const bool *is_done, uint32_t metric)
{
	return item->problem.build_id.size && item->problem.lack != LACKS_CERTAINTY &&
	       missing_cost(item, metric) && !is_done[item->problem.module];
}

static int fetch_all(struct fetching *fetching, const struct profile *profile,
		     struct missing_list *list)
{
	uint32_t metric = choose_metric(profile);
	_cleanup_free_ bool *is_done = calloc(profile->modules.n_modules, sizeof(*is_done));

	if (!is_done)
		return -ENOMEM;
	if (list->n)
		qsort_r(list->items, list->n, sizeof(*list->items), compare_costs, &metric);
	for (size_t i = 0; i < list->n; i++) {
		const struct symbol_problem *problem = &list->items[i].problem;
		const struct module *module = module_table_get(&profile->modules, problem->module);

		if (module->key.kind != MODULE_ELF ||
		    !is_asked_for(&list->items[i], is_done, metric))
			continue;
		is_done[problem->module] = true;
		fetch_module(fetching, module, problem);
	}
	return 0;
}

static int list_missing(const struct fetching *fetching, const struct profile *profile,
			struct missing_list *list)
{
	struct symbolizer *symbolizer =
		symbolizer_create(profile, &(struct symbolizer_options){ .no_inlines = false });
	struct shown_naming naming;

	if (!symbolizer)
		return -ENOMEM;
	shown_naming_start(&naming, fetching->command, symbolizer, NULL);
	int err = symbolizer_expand_all(symbolizer);
	shown_naming_stop(&naming);
	if (!err)
		err = missing_list_init(list, profile, symbolizer, choose_metric(profile));
	symbolizer_destroy(symbolizer);
	return err;
}

static int fetch_with_library(struct fetching *fetching, const struct profile *profile,
			      struct missing_list *list)
{
	fetching->client = fetching->library.begin();
	if (!fetching->client)
		return -ENOMEM;
	fetching->library.set_user_data(fetching->client, fetching);
	fetching->library.set_progressfn(fetching->client, on_progress);
	int err = fetch_all(fetching, profile, list);
	fetching->library.end(fetching->client);
	return err;
}

static int fetch_missing(struct fetching *fetching, const struct profile *profile, unsigned max_s)
{
	const struct sigaction interrupt = { .sa_handler = on_interrupt };
	struct missing_list list;
	struct sigaction before;
	int err = list_missing(fetching, profile, &list);

	if (err)
		return err;
	/* To find out what is missing takes long, too, and does not wait for a server. */
	fetching->end_ns = now_ns() + (uint64_t)max_s * NSEC_PER_SEC;
	is_interrupted = 0;
	sigaction(SIGINT, &interrupt, &before);
	err = fetching->library.is_here ? fetch_with_library(fetching, profile, &list)
					: fetch_all(fetching, profile, &list);
	sigaction(SIGINT, &before, NULL);
	if (fetching->has_line)
		fputs("\r\033[K", stderr);
	missing_list_deinit(&list);
	return err;
}

bool debuginfod_is_here(void)
{
	struct library library;

	library_open(&library);
	return library.is_here || debuginfod_program_is_here();
}

int debuginfod_fetch(const char *command, const struct profile *profile, unsigned max_s,
		     struct debuginfod_result *result_ret)
{
	struct fetching fetching = { .command = command, .is_terminal = isatty(STDERR_FILENO) };

	library_open(&fetching.library);
	int err = fetching.library.is_here || debuginfod_program_is_here()
			  ? fetch_missing(&fetching, profile, max_s)
			  : -ENOENT;
	/* The library stays loaded: threads of what it uses may not have ended. */
	*result_ret = fetching.result;
	return err;
}
