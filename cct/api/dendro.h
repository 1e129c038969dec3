/*
 * libdendro: call path profiles, for programs that read them or make them.
 *
 *	struct dendro_profile *profile;
 *	char *error;
 *
 *	if (dendro_profile_open("dendro.data", NULL, &profile, &error)) {
 *		fprintf(stderr, "%s\n", error ? error : "out of memory");
 *		dendro_free(error);
 *		return 1;
 *	}
 *	for (uint32_t i = 0; i < dendro_profile_n_frames(profile); i++)
 *		printf("%s: %" PRIu64 "\n", dendro_profile_frame(profile, i)->name,
 *		       dendro_frame_total(profile)[i * dendro_profile_n_metrics(profile)]);
 *	dendro_profile_close(profile);
 *
 * A profile is a calling context tree. Its nodes are numbered from 0, the root, on; a parent's
 * number is smaller than those of its children. Below the root are commands, processes or threads,
 * below these the functions of call paths, outermost first. What a node is (a function, a process)
 * is its frame, which all nodes of that function share. Costs are sums of weights, one for each
 * metric: the cost of a node's own samples is its self cost; with the samples below it, its total.
 * Numbers are equal to the numbers of `dendro report --format json`.
 *
 * Errors: functions that can fail return 0 or -errno, and leave in *@error a sentence for the user,
 * to be freed with dendro_free(), or NULL if memory was missing for it. @error may be NULL.
 * Results are written only on success.
 *
 * Ownership: what a pointer from a profile leads to belongs to the profile and is valid until
 * dendro_profile_close(). What is passed to the library is copied, or no longer used when the
 * function returns. Texts end with a zero byte; they come from programs and files, and may have any
 * other bytes in them: whoever prints them on a terminal or in a page has to see to that.
 *
 * Threads: the functions that read a profile may be called by any number of threads at once. A
 * writer belongs to one thread at a time. Different profiles and writers have nothing in common.
 * dendro_profile_open() starts threads, and ends them before it returns.
 *
 * The library keeps no state but a counter that numbers address spaces. It does not
 * exit, print, change signal handlers, the environment or limits of the process, or use the
 * network; it aborts only where an assertion shows an error in the library itself. Files are input
 * that may be damaged or hostile: they give an error, or a profile that says what is missing.
 * Programs and libraries that a recording names are opened to find names. These files and the
 * recording are mapped, so whoever truncates one meanwhile ends the process by SIGBUS, unless it
 * handles that. Each file that a recording carries is an open descriptor while it is read.
 *
 * Versions: DENDRO_MAJOR becomes larger when a program must be compiled again; then the name of the
 * library changes, too. DENDRO_MINOR becomes larger when something is added: functions, values of
 * an enum, members at the end of a struct. Structs that the caller makes therefore begin with their
 * size, and structs that the library gives must not be copied by their size.
 */
#ifndef DENDRO_H
#define DENDRO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define DENDRO_MAJOR 0
#define DENDRO_MINOR 1

/* No node, process, thread or CPU. */
#define DENDRO_NONE UINT32_MAX
/* No time. */
#define DENDRO_NO_TIME UINT64_MAX

struct dendro_profile;
struct dendro_writer;

/* The version of the library that the program runs with: "0.1". */
const char *dendro_version(void);
/* Frees a sentence of the library. NULL is fine. */
void dendro_free(void *sentence);

/* What is below the root of a tree. */
enum dendro_grouping {
	DENDRO_BY_COMMAND, /* processes of one name */
	DENDRO_BY_PROCESS,
	DENDRO_BY_THREAD, /* processes, and below each its threads */
};

/* The kernel's functions on a path. */
enum dendro_kernel {
	DENDRO_KERNEL_MERGED, /* below the user function that entered the kernel */
	DENDRO_KERNEL_ONLY,   /* without user functions */
	DENDRO_KERNEL_NONE,   /* the user function has their cost */
};

/* All zero but the size are what `dendro report` does without options. */
struct dendro_read_options {
	size_t size; /* sizeof(struct dendro_read_options) */
	enum dendro_grouping grouping;
	enum dendro_kernel kernel;
	int raw_names;  /* not 0: names as in the file, mangled */
	int no_inlines; /* not 0: a function has the cost of those inlined into it */
	/* Not 0: each source line of a function is a separate frame, with its file and line. A
	 * function's inlined and other code in one line is then one frame. Several nodes below one
	 * parent may have the same frame. */
	int by_line;
	int no_samples;     /* not 0: samples are only added up, for less memory */
	unsigned n_threads; /* that build a recording's profile; 0: one for each processor */
	const char *symfs;  /* look for files below this folder alone; NULL: on this machine */
};

#define DENDRO_READ_OPTIONS_INIT                           \
	{                                                  \
		.size = sizeof(struct dendro_read_options) \
	}

/*
 * Reads the file @path: a recording (perf.data of dendro, perf or simpleperf) or a profile (.cct);
 * "-": standard input. @options: NULL is like all zero. A recording that is cut off or damaged
 * gives a profile of what precedes that, and dendro_profile_note() says so.
 */
int dendro_profile_open(const char *path, const struct dendro_read_options *options,
			struct dendro_profile **profile, char **error);
/* NULL is fine. */
void dendro_profile_close(struct dendro_profile *profile);

/* Where and when the samples were taken. Texts are NULL, and numbers 0, where that is not known. */
struct dendro_info {
	const char *command_line, *hostname, *os_release, *arch, *cpu, *tool_version;
	uint32_t n_cpus;
	uint64_t duration_ns;   /* from the first sample to the last one */
	uint64_t start_unix_ns; /* of the first sample, since 1970, UTC */
};

const struct dendro_info *dendro_profile_info(const struct dendro_profile *profile);

/* What the user has to know of the profile, in sentences: damage, what was left out or cut off. */
size_t dendro_profile_n_notes(const struct dendro_profile *profile);
const char *dendro_profile_note(const struct dendro_profile *profile, size_t note);

/* How good the data is: the counters of "quality" in JSON, as "lost" or "unwind.stack_cut". */
struct dendro_counter {
	const char *name;
	uint64_t value;
};

size_t dendro_profile_n_counters(const struct dendro_profile *profile);
const struct dendro_counter *dendro_profile_counter(const struct dendro_profile *profile,
						    size_t counter);

/* A program or library whose code lacks names, or debug information, and why. */
struct dendro_missing {
	const char *module, *path;
	const char *lacks; /* "names", "debug information", "certainty" */
	const char *problem;
	const char *build_id; /* hexadecimal; NULL: not known */
};

size_t dendro_profile_n_missing(const struct dendro_profile *profile);
const struct dendro_missing *dendro_profile_missing(const struct dendro_profile *profile,
						    size_t missing);

/* An event that was sampled. */
struct dendro_metric {
	const char *name, *unit; /* "cycles:u"; "ns", "events", "bytes" */
	uint64_t samples;        /* received */
	uint64_t total;          /* the sum of their weights */
	uint64_t lost;           /* samples that the kernel could not deliver */
	/* By which the weights were multiplied because the event had a counter for a part of the
	 * time; 1: they were not. */
	double scale;
};

uint32_t dendro_profile_n_metrics(const struct dendro_profile *profile);
const struct dendro_metric *dendro_profile_metric(const struct dendro_profile *profile,
						  uint32_t metric);

struct dendro_process {
	int32_t pid;      /* 0: the processors' idle tasks; -1: not known */
	const char *name; /* its last one; NULL: not known */
};

struct dendro_thread {
	int32_t tid;
	uint32_t process;
	const char *name; /* NULL: not known */
};

/* exec begins a new process with the same pid. */
uint32_t dendro_profile_n_processes(const struct dendro_profile *profile);
const struct dendro_process *dendro_profile_process(const struct dendro_profile *profile,
						    uint32_t process);
uint32_t dendro_profile_n_threads(const struct dendro_profile *profile);
const struct dendro_thread *dendro_profile_thread(const struct dendro_profile *profile,
						  uint32_t thread);
/* Costs: [process * dendro_profile_n_metrics() + metric], and likewise for threads. */
const uint64_t *dendro_process_total(const struct dendro_profile *profile);
const uint64_t *dendro_thread_total(const struct dendro_profile *profile);

enum dendro_frame_kind {
	DENDRO_FRAME_ROOT,
	DENDRO_FRAME_PROCESS, /* or all of one name */
	DENDRO_FRAME_THREAD,
	DENDRO_FRAME_USER,    /* a function */
	DENDRO_FRAME_INLINED, /* a function, inlined into the one above it */
	DENDRO_FRAME_KERNEL,  /* a function of the kernel */
	DENDRO_FRAME_MARKER,  /* a note about the path: "[stack deeper than the copy]" */
};

/* What a node is. */
struct dendro_frame {
	enum dendro_frame_kind kind;
	const char *name;        /* of a function, demangled unless options.raw_names */
	const char *symbol;      /* of a function, as in the file; NULL: none */
	const char *module;      /* "libc.so.6", "[kernel]"; "": none */
	const char *module_path; /* NULL: none */
	const char *build_id;    /* of the module, hexadecimal; NULL: not known */
	const char *file;        /* options.by_line; NULL: not known */
	uint32_t line;           /* 0: not known */
	int32_t id;              /* pid or tid; -1: none, or several */
};

uint32_t dendro_profile_n_frames(const struct dendro_profile *profile);
const struct dendro_frame *dendro_profile_frame(const struct dendro_profile *profile,
						uint32_t frame);
/*
 * Costs of a frame in all nodes: [frame * dendro_profile_n_metrics() + metric]. A sample counts
 * once, however often its path has the frame.
 */
const uint64_t *dendro_frame_self(const struct dendro_profile *profile);
const uint64_t *dendro_frame_total(const struct dendro_profile *profile);

/* The tree, as columns with one element for each node. The root's parent is DENDRO_NONE. */
uint32_t dendro_profile_n_nodes(const struct dendro_profile *profile);
const uint32_t *dendro_node_parents(const struct dendro_profile *profile);
const uint32_t *dendro_node_frames(const struct dendro_profile *profile);
/* The first node below a node, and the next one with the same parent; DENDRO_NONE: no more. */
uint32_t dendro_node_first_child(const struct dendro_profile *profile, uint32_t node);
uint32_t dendro_node_next_sibling(const struct dendro_profile *profile, uint32_t node);
/* Costs and numbers of samples: [node * dendro_profile_n_metrics() + metric]. */
const uint64_t *dendro_node_self(const struct dendro_profile *profile);
const uint64_t *dendro_node_total(const struct dendro_profile *profile);
const uint64_t *dendro_node_self_samples(const struct dendro_profile *profile);
const uint64_t *dendro_node_samples(const struct dendro_profile *profile);

/* How the function of a node was found in some of the paths, other than by unwind information. */
enum dendro_node_mark {
	DENDRO_NODE_GUESSED = 1,  /* guessed, and confirmed by the code */
	DENDRO_NODE_STITCHED = 2, /* read from the stack after the sample */
	DENDRO_NODE_JOINED = 4,   /* taken over from a path of another sample that is alike */
};

/* Values of enum dendro_node_mark, joined by |. */
unsigned dendro_node_marks(const struct dendro_profile *profile, uint32_t node);
/* Of an inlined function: the line in the function above where it is called; 0, and NULL in *@file:
 * not known, or several. */
uint32_t dendro_node_call(const struct dendro_profile *profile, uint32_t node, const char **file);

/* A sample, or of long or merged profiles the sum of several in one slice of time. */
struct dendro_sample {
	uint64_t time_ns; /* since the first sample of the profile; DENDRO_NO_TIME: not known */
	uint64_t weight;  /* as it was received, not multiplied by the metric's scale */
	uint64_t samples; /* how many it stands for */
	uint32_t metric, node;
	uint32_t cpu; /* DENDRO_NONE: not known */
	uint32_t thread;
	int32_t pid, tid;
	const char *thread_name, *process_name; /* at that time */
	const char *cgroup;                     /* NULL: not known */
};

/* Whether the profile has its samples one by one; not with options.no_samples. */
int dendro_profile_has_samples(const struct dendro_profile *profile);
uint32_t dendro_profile_n_samples(const struct dendro_profile *profile);
/*
 * Fills @samples, an array of @n elements of @sample_size bytes (sizeof(struct dendro_sample)),
 * with the samples from @first on, by metric, CPU, and then time. Returns how many there were.
 */
uint32_t dendro_profile_read_samples(const struct dendro_profile *profile, uint32_t first,
				     uint32_t n, struct dendro_sample *samples, size_t sample_size);

/* A function on a path that a program describes. */
struct dendro_path_frame {
	/*
	 * DENDRO_FRAME_USER; _INLINED, into the function before it; or _KERNEL, after all functions
	 * of user code. Only the first of a path may be DENDRO_FRAME_MARKER: callers are missing,
	 * and @name says why, as counters of "unwind" are called: "stack_cut", "no_stack".
	 */
	enum dendro_frame_kind kind;
	const char *name;   /* as in the file; mangled names are demangled when they are shown */
	const char *module; /* path of the program or library; NULL: the process's name, or the
			       kernel. That of an inlined function is its caller's. */
	const char *file;   /* where execution is in the function; NULL: not known */
	uint32_t line;      /* 0: not known */
};

/*
 * Records into a profile: samples that the program takes itself, of whatever it counts.
 *
 *	dendro_writer_create(&writer, &error);
 *	dendro_writer_add_metric(writer, "requests", "events", 1, &metric, &error);
 *	dendro_writer_add_process(writer, getpid(), "server", &process, &error);
 *	dendro_writer_add_thread(writer, process, gettid(), "worker", &thread, &error);
 *	dendro_writer_add_path(writer, thread, frames, n_frames, sizeof(*frames), &path, &error);
 *	dendro_writer_add_sample(writer, path, metric, 1, DENDRO_NO_TIME, DENDRO_NONE, &error);
 *	dendro_writer_save(writer, "requests.cct", &error);
 *	dendro_writer_destroy(writer);
 *
 * -EINVAL: a number that the writer has not given, or what is described here as forbidden. After
 * -ENOMEM only dendro_writer_destroy() is possible.
 */
int dendro_writer_create(struct dendro_writer **writer, char **error);
/* NULL is fine. */
void dendro_writer_destroy(struct dendro_writer *writer);
/* For the header of reports. @command_line may be NULL; @start_unix_ns: when time 0 of samples was,
 * in nanoseconds since 1970, UTC; 0: not known. */
int dendro_writer_describe(struct dendro_writer *writer, const char *command_line,
			   uint64_t start_unix_ns, char **error);
/* @unit: "ns" and "bytes" are shown as such; else what is counted, as "events". @takes_all: not 0:
 * a sample is added for each occurrence, so that shares have no error of sampling. */
int dendro_writer_add_metric(struct dendro_writer *writer, const char *name, const char *unit,
			     int takes_all, uint32_t *metric, char **error);
int dendro_writer_add_process(struct dendro_writer *writer, int32_t pid, const char *name,
			      uint32_t *process, char **error);
int dendro_writer_add_thread(struct dendro_writer *writer, uint32_t process, int32_t tid,
			     const char *name, uint32_t *thread, char **error);
/*
 * A path of @n frames of @frame_size bytes (sizeof(struct dendro_path_frame)), outermost first. A
 * path that is there already has the same number.
 */
int dendro_writer_add_path(struct dendro_writer *writer, uint32_t thread,
			   const struct dendro_path_frame *frames, size_t n, size_t frame_size,
			   uint32_t *path, char **error);
/* @time_ns: of any clock, for all samples or, DENDRO_NO_TIME, for none. @cpu may be DENDRO_NONE.
 * -EFBIG: there are 2^26 samples. */
int dendro_writer_add_sample(struct dendro_writer *writer, uint32_t path, uint32_t metric,
			     uint64_t weight, uint64_t time_ns, uint32_t cpu, char **error);
/* Samples that could not be taken: each report says so. */
int dendro_writer_add_lost(struct dendro_writer *writer, uint32_t metric, uint64_t n_samples,
			   char **error);
/* Writes the profile to the file @path, which is replaced: only dendro_writer_destroy() is possible
 * then. If it fails, the file is not a profile. */
int dendro_writer_save(struct dendro_writer *writer, const char *path, char **error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
