#include "report/findings/runtimes.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

#define FIRST_PYTHON 12 /* the minor version that has -X perf */

struct runtime {
	const char *start; /* of the module's name */
	bool is_whole;     /* the name has nothing else */
	bool on_request;   /* it makes code with names, or none */
	const char *advice;
};

#define NODE_ADVICE \
	"Run node with --perf-basic-prof --interpreted-frames-native-stack to name its functions."
/* In its sandbox a process cannot write the file with the names. */
#define CHROMIUM_ADVICE                                                 \
	"Run Chromium with --no-sandbox --js-flags='--perf-basic-prof " \
	"--interpreted-frames-native-stack' to name functions of JavaScript."
#define PYTHON_ADVICE "Run Python with -X perf (from 3.12 on) to name its functions."
#define LUAJIT_ADVICE "A LuaJIT built with -DLUAJIT_USE_PERFTOOLS names its traces."

static const struct runtime runtimes[] = {
	{ "node", .is_whole = true, .advice = NODE_ADVICE },
	{ "nodejs", .is_whole = true, .advice = NODE_ADVICE },
	{ "libnode.so", .advice = NODE_ADVICE },
	{ "chromium", .is_whole = true, .advice = CHROMIUM_ADVICE },
	{ "chrome", .is_whole = true, .advice = CHROMIUM_ADVICE },
	{ "libpython3.", .on_request = true, .advice = PYTHON_ADVICE },
	{ "python3.", .on_request = true, .advice = PYTHON_ADVICE },
	{ "libjvm.so",
	  .advice = "Record Java as root, or run jcmd PID Compiler.perfmap before it ends, to name "
		    "its methods." },
	{ "libluajit", .advice = LUAJIT_ADVICE },
	{ "luajit", .advice = LUAJIT_ADVICE },
	{ "libcoreclr.so", .advice = "Run .NET with DOTNET_PerfMapEnabled=1 to name its methods." },
	{ "beam.smp", .is_whole = true,
	  .advice = "Run erl with +JPperf true to name its functions." },
};

#define N_RUNTIMES (sizeof(runtimes) / sizeof(runtimes[0]))

static_assert(N_RUNTIMES <= RUNTIMES_MAX, "each may be in use");

/* What was seen in one process. */
struct process {
	uint64_t cost;
	uint32_t runtimes; /* bits, by index */
	bool has_code;     /* made at run time */
	bool has_unnamed;  /* and some of it has no name */
};

/* Whether a module belongs to a Python that can name its functions: "python3.12". */
static bool is_late_python(const char *minor)
{
	return strtoul(minor, NULL, 10) >= FIRST_PYTHON;
}

/* The index of a module's run-time system as a bit; 0: it belongs to none. */
static uint32_t runtime_of(const struct module *module)
{
	const char *name = module->key.kind == MODULE_ELF ? module_name(module) : "";

	for (size_t i = 0; i < N_RUNTIMES; i++) {
		size_t size = strlen(runtimes[i].start);

		if (strncmp(name, runtimes[i].start, size) != 0 ||
		    (runtimes[i].is_whole && name[size]))
			continue;
		if (runtimes[i].on_request && !is_late_python(name + size))
			return 0;
		return 1u << i;
	}
	return 0;
}

/* What a process that runs code of a module has. */
struct module_facts {
	uint32_t runtimes;
	bool is_code; /* made at run time */
	bool is_unnamed;
};

/* By module. */
static int find_facts(const struct profile *profile, const struct symbolizer *symbolizer,
		      struct module_facts **facts_ret)
{
	size_t n_modules = profile->modules.n_modules, max = n_modules * NAME_PROBLEMS_MAX;
	_cleanup_free_ struct symbol_problem *problems = calloc(max + 1, sizeof(*problems));
	struct module_facts *facts = calloc(n_modules + 1, sizeof(*facts));

	if (!problems || !facts) {
		free(facts);
		return -ENOMEM;
	}
	size_t n = symbolizer_problems(symbolizer, problems, max);
	for (size_t i = 0; i < n; i++)
		facts[problems[i].module].is_unnamed |= problems[i].lack == LACKS_NAMES;
	for (uint32_t i = 1; i < n_modules; i++) {
		const struct module *module = module_table_get(&profile->modules, i);

		facts[i].runtimes = runtime_of(module);
		facts[i].is_code =
			module->key.kind == MODULE_ANON || module->key.kind == MODULE_JIT;
	}
	*facts_ret = facts;
	return 0;
}

static void see_module(struct process *process, const struct module_facts *facts)
{
	process->runtimes |= facts->runtimes;
	process->has_code |= facts->is_code;
	process->has_unnamed |= facts->is_code && facts->is_unnamed;
}

/*
 * Parents have lower numbers than their children; a child of the root is a process. @processes: by
 * the number of that node; @top: by node.
 */
static void see_nodes(const struct profile *profile, const struct module_facts *facts,
		      uint32_t metric, struct process *processes, uint32_t *top)
{
	const struct cct *cct = profile->cct;

	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		const uint32_t parent = cct->nodes[i].parent;
		const struct module *module =
			module_table_get(&profile->modules, cct_frame(cct, i)->module);

		top[i] = parent == CCT_ROOT ? i : top[parent];
		processes[top[i]].cost += cct_cost(cct, i, metric)->weight;
		if (module)
			see_module(&processes[top[i]], &facts[module->id]);
	}
}

/* The run-time systems of a process that lack names. */
static uint32_t lacking(const struct process *process)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < N_RUNTIMES; i++) {
		bool lacks = runtimes[i].on_request ? !process->has_code : process->has_unnamed;

		if (lacks && process->runtimes & 1u << i)
			bits |= 1u << i;
	}
	return bits;
}

/* The texts of some run-time systems, each once. */
static size_t list_advice(uint32_t bits, const char **advice_ret)
{
	size_t n = 0;

	for (size_t i = 0; i < N_RUNTIMES; i++) {
		bool is_new = bits & 1u << i;

		for (size_t k = 0; k < n; k++)
			is_new &= strcmp(advice_ret[k], runtimes[i].advice) != 0;
		if (is_new)
			advice_ret[n++] = runtimes[i].advice;
	}
	return n;
}

int runtimes_find(const struct profile *profile, const struct symbolizer *symbolizer,
		  uint32_t metric, double min_percent, const char *advice_ret[RUNTIMES_MAX],
		  size_t *n_ret)
{
	uint32_t n_nodes = profile->cct->n_nodes, bits = 0;
	_cleanup_free_ struct process *processes = calloc(n_nodes + 1u, sizeof(*processes));
	_cleanup_free_ uint32_t *top = calloc(n_nodes + 1u, sizeof(*top));
	_cleanup_free_ struct module_facts *facts = NULL;

	if (!processes || !top || find_facts(profile, symbolizer, &facts))
		return -ENOMEM;
	if (metric < profile->n_metrics)
		see_nodes(profile, facts, metric, processes, top);
	for (uint32_t i = 0; i < n_nodes && metric < profile->n_metrics; i++) {
		double share = 100 * (double)processes[i].cost;

		if (processes[i].cost &&
		    share >= min_percent * (double)profile->metrics[metric].total)
			bits |= lacking(&processes[i]);
	}
	*n_ret = list_advice(bits, advice_ret);
	return 0;
}
