#include "collector/record/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/monotonic.h"
#include "collector/attached/event_counts.h"
#include "collector/attached/stack_misses.h"
#include "collector/record/drain.h"
#include "collector/record/observers/capture.h"
#include "collector/record/observers/code_reader.h"
#include "collector/record/observers/deep_stacks.h"
#include "collector/record/observers/jit_maps.h"
#include "collector/record/observers/jitdump_recorder.h"
#include "collector/record/observers/kernel_modules.h"
#include "collector/record/start/command.h"
#include "collector/record/start/host_features.h"
#include "collector/record/start/kernel_snapshot.h"
#include "collector/record/start/output_file.h"
#include "collector/record/start/synthesize.h"
#include "collector/record/start/vdso32.h"
#include "perf/counters/evlist.h"
#include "perf/events/event_text.h"
#include "perf/kinds/probe_events.h"
#include "perf/records/window_record.h"

#define NSEC_PER_SEC  1000000000ull
#define NSEC_PER_MSEC 1000000ull
/* The rings are looked at this often even when they have not filled, and so are files that may be
 * about to go. */
#define DRAIN_INTERVAL_NS (100 * NSEC_PER_MSEC)
/* What a kill -9 costs at most. */
#define FLUSH_INTERVAL_NS (NSEC_PER_SEC / 4)
/* How long a command may go on being recorded after it was told to end. */
#define GRACE_NS NSEC_PER_SEC
/* Files looked at again each time, at a microsecond each. */
/* Of user stack per sample, where the rings can't be as large as the rate asks for. */
#define SHRUNK_STACK_SIZE 16384
#define RECHECK_FILES     256
#define CAPTURE_MAX       (256ull << 20)
/* Threads may appear while we attach; in a program that makes them forever, enough is enough. */
#define MAX_RESCANS 20

struct note {
	char *text;
	bool is_detail;
};

struct recorder {
	const struct recorder_options *options;
	struct note *notes;
	size_t n_notes;
	char *error_text;

	struct kernel_snapshot *snapshot;
	struct command command;
	bool has_command;
	struct int_list cpus, pids, tids; /* as opened */
	struct evlist *evlist;
	int output_fd;
	bool is_pipe;
	struct data_writer *writer;
	struct capture *capture;
	struct code_reader *code_reader;
	struct jit_maps *jit_maps;
	struct kernel_modules *kernel_modules;
	struct jitdump_recorder *jitdumps;
	struct deep_stacks *deep_stacks;         /* NULL: not wanted, or not possible here */
	struct signal_contexts *signal_contexts; /* the same */
	struct drain drain;
	struct synthesize_options synthesize;

	sigset_t old_mask;
	bool is_mask_changed;
	int signal_fd;
	int wake_fd; /* readable when one of the others is that are no rings */
	bool is_stopped;
	uint64_t start_ns, stop_ns; /* stop_ns: when it has to end; UINT64_MAX: open */
	uint64_t enable_ns;         /* samples begin then; UINT64_MAX: they have */
	uint64_t recheck_ns, flush_ns;
};

static void __attribute__((format(printf, 3, 4)))
note(struct recorder *recorder, bool is_detail, const char *format, ...)
{
	struct note *notes =
		reallocarray(recorder->notes, recorder->n_notes + 1, sizeof(struct note));
	va_list args;

	if (!notes)
		return;
	recorder->notes = notes;
	va_start(args, format);
	if (vasprintf(&notes[recorder->n_notes].text, format, args) >= 0)
		notes[recorder->n_notes++].is_detail = is_detail;
	va_end(args);
}

/* Says why opening fails; returns @err. */
static int __attribute__((format(printf, 3, 4)))
explain(struct recorder *recorder, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	free(recorder->error_text);
	if (vasprintf(&recorder->error_text, format, args) < 0)
		recorder->error_text = NULL;
	va_end(args);
	return err;
}

size_t recorder_n_notes(const struct recorder *recorder)
{
	return recorder->n_notes;
}

const char *recorder_note(const struct recorder *recorder, size_t index, bool *is_detail_ret)
{
	*is_detail_ret = recorder->notes[index].is_detail;
	return recorder->notes[index].text;
}

static int check_proc(struct recorder *recorder)
{
	if (access("/proc/self/stat", F_OK) == 0)
		return 0;
	return explain(recorder, -ENOENT, "/proc is not mounted here: mount -t proc proc /proc");
}

static int find_cpus(struct recorder *recorder)
{
	const struct int_list *asked = &recorder->options->cpus;

	int err = targets_online_cpus(&recorder->cpus);
	if (err)
		return explain(
			recorder, err, "cannot read which CPUs are online: %s%s", strerror(-err),
			err == -ENOENT ? "; is /sys mounted? (mount -t sysfs sysfs /sys)" : "");
	if (!asked->n)
		return 0;
	for (size_t i = 0; i < asked->n; i++) {
		size_t at = 0;

		while (at < recorder->cpus.n && recorder->cpus.values[at] != asked->values[i])
			at++;
		if (at == recorder->cpus.n)
			return explain(recorder, -ENODEV, "CPU %d is not online (-C)",
				       asked->values[i]);
	}
	memcpy(recorder->cpus.values, asked->values, asked->n * sizeof(int));
	recorder->cpus.n = asked->n;
	return 0;
}

static int find_tasks(struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;
	pid_t missing = 0;
	int err;

	if (options->pids.n) {
		err = targets_threads(&options->pids, &recorder->tids, &missing);
		return err ? explain(recorder, err, "no process %d (-p): %s", missing,
				     strerror(-err))
			   : 0;
	}
	err = targets_processes(&options->tids, &recorder->pids, &missing);
	return err ? explain(recorder, err, "no thread %d (-t): %s", missing, strerror(-err)) : 0;
}

static int catch_signals(struct recorder *recorder)
{
	sigset_t caught;

	sigemptyset(&caught);
	sigaddset(&caught, SIGINT);
	sigaddset(&caught, SIGTERM);
	sigaddset(&caught, SIGHUP);
	sigaddset(&caught, SIGCHLD);
	sigprocmask(SIG_BLOCK, &caught, &recorder->old_mask);
	recorder->is_mask_changed = true;
	signal(SIGPIPE, SIG_IGN);
	recorder->signal_fd = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
	return recorder->signal_fd < 0 ? explain(recorder, -errno, "signalfd: %m") : 0;
}

static int fork_command(struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;
	bool is_stdout_ours = strcmp(options->output, "-") == 0;

	if (!options->command)
		return 0;
	int err = command_fork(&recorder->command, options->command,
			       is_stdout_ours ? STDERR_FILENO : -1, &recorder->old_mask);
	if (err)
		return explain(recorder, err, "cannot fork: %s", strerror(-err));
	recorder->has_command = true;
	return 0;
}

static bool is_attached(const struct recorder_options *options)
{
	return options->pids.n || options->tids.n;
}

/* Threads that appeared while events were opened. */
static int rescan(struct recorder *recorder)
{
	const struct int_list *pids = &recorder->options->pids;
	int n_added = pids->n ? 1 : 0;

	for (int i = 0; n_added > 0 && i < MAX_RESCANS; i++) {
		struct int_list tids = { 0 };
		pid_t missing;

		if (targets_threads(pids, &tids, &missing))
			return 0; /* some have exited: those we have are to be recorded */
		n_added = evlist_add_tids(recorder->evlist, tids.values, tids.n);
		int_list_deinit(&tids);
		if (n_added < 0)
			return explain(recorder, n_added, "cannot open events on new threads: %s",
				       strerror(-n_added));
	}
	if (n_added > 0)
		note(recorder, false,
		     "New threads keep appearing faster than they can be attached to; those of "
		     "threads known already are followed.");
	return 0;
}

static bool has_probes(const struct recorder_options *options)
{
	for (size_t i = 0; i < options->n_events; i++)
		if (options->events[i].probed_path)
			return true;
	return false;
}

/* Of the kinds of probes, the one that new threads and children inherit. */
static void prepare_probes(struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;

	if (options->is_system_wide || options->no_inherit || !has_probes(options))
		return;
	int err = probe_events_add(options->events, options->n_events);
	if (err)
		note(recorder, false,
		     "Calls are counted in %s only, not in new threads and children: for those "
		     "tracefs is needed, as root (uprobe_events: %s).",
		     is_attached(options) ? "threads that run now" : "the command's first thread",
		     strerror(-err));
}

static int open_events(struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;
	const struct int_list *tids = options->tids.n ? &options->tids : &recorder->tids;
	struct evlist_options evlist_options = {
		.target = options->is_system_wide ? EVLIST_SYSTEM
			  : is_attached(options)  ? EVLIST_TASKS
						  : EVLIST_COMMAND,
		.cpus = recorder->cpus.values,
		.n_cpus = recorder->cpus.n,
		.frequency = options->frequency,
		.period = options->period,
		.has_rate = options->has_rate,
		.stack_size = options->stack_size,
		.ring_size = options->ring_size,
		.no_inherit = options->no_inherit,
		.start_disabled = options->delay_ns != 0,
		.jitter = options->jitter,
		.has_contexts = !options->no_deep_stacks,
	};
	struct perf_limits limits;

	if (evlist_options.target == EVLIST_COMMAND) {
		evlist_options.tids = &recorder->command.pid;
		evlist_options.n_tids = 1;
	} else if (evlist_options.target == EVLIST_TASKS) {
		evlist_options.tids = tids->values;
		evlist_options.n_tids = tids->n;
	}
	limits_read(&limits);
	prepare_probes(recorder);
	int err = evlist_open(&evlist_options, options->events, options->n_events, &limits,
			      &recorder->evlist, &recorder->error_text);
	/* In rings that the mlock limit keeps small, whole stacks would leave room for a few
	 * samples only. */
	if (!err && recorder->evlist->ring_shrunk && !options->has_stack_size &&
	    evlist_options.stack_size > SHRUNK_STACK_SIZE) {
		evlist_close(steal_ptr(recorder->evlist));
		evlist_options.stack_size = SHRUNK_STACK_SIZE;
		err = evlist_open(&evlist_options, options->events, options->n_events, &limits,
				  &recorder->evlist, &recorder->error_text);
		note(recorder, false,
		     "copying %d KiB of each stack, so that the small rings hold enough samples; "
		     "--stack-size copies more.",
		     SHRUNK_STACK_SIZE >> 10);
	}
	if (err)
		return err;
	err = rescan(recorder);
	for (size_t i = 0; i < recorder->evlist->n_notes; i++)
		note(recorder, false, "%s", recorder->evlist->notes[i]);
	note(recorder, true, "%zu rings of %" PRIu64 " KiB for samples, %zu for the rest",
	     recorder->evlist->n_sample_rings, recorder->evlist->ring_size >> 10,
	     recorder->evlist->n_sideband_rings);
	return err;
}

static int open_output(struct recorder *recorder)
{
	const char *path = recorder->options->output;

	recorder->output_fd = output_file_open(path, &recorder->is_pipe);
	if (recorder->output_fd == -ENOTTY)
		return explain(recorder, -ENOTTY,
			       "standard output is a terminal: use -o FILE, or a pipe");
	if (recorder->output_fd < 0)
		return explain(recorder, recorder->output_fd,
			       "cannot write '%s': %s (choose another file with -o)", path,
			       strerror(-recorder->output_fd));
	return 0;
}

static int create_writer(struct recorder *recorder)
{
	const struct evlist *evlist = recorder->evlist;
	const struct perf_event_attr *attr = &evlist->events[0].attr;
	struct data_writer_options writer_options = {
		.compression_level = recorder->options->compression_level,
		.is_pipe = recorder->is_pipe,
	};
	struct host_features features;
	struct data_writer_event *events = calloc(evlist->n_events + 1, sizeof(*events));

	for (size_t i = 0; events && i <= evlist->n_events; i++)
		events[i] =
			(struct data_writer_event){ &evlist->events[i].attr, evlist->events[i].name,
						    evlist->events[i].ids,
						    evlist->events[i].n_ids };
	int err = host_features_init(&features, recorder->options->argv,
				     attr->use_clockid ? attr->clockid : -1);
	if (!err)
		err = host_features_add_tracepoints(&features, recorder->options->events,
						    evlist->n_events);
	if (!err)
		err = events ? data_writer_create(recorder->output_fd, &writer_options, events,
						  evlist->n_events + 1, features.list, features.n,
						  &recorder->writer)
			     : -ENOMEM;
	host_features_deinit(&features);
	free(events);
	return err ? explain(recorder, err, "cannot write '%s': %s", recorder->options->output,
			     strerror(-err))
		   : 0;
}

static void prepare_synthesis(struct recorder *recorder)
{
	const struct evlist_event *sideband = &recorder->evlist->events[recorder->evlist->n_events];
	const struct recorder_options *options = recorder->options;
	const struct int_list *pids = options->pids.n ? &options->pids : &recorder->pids;

	recorder->synthesize = (struct synthesize_options){
		.writer = recorder->writer,
		.capture = recorder->capture,
		.code_reader = recorder->code_reader,
		.jit_maps = recorder->jit_maps,
		.jitdumps = recorder->jitdumps,
		.attr = &sideband->attr,
		.id = sideband->n_ids ? sideband->ids[0] : 0,
		.proc = "/proc",
		.pids = options->is_system_wide ? NULL : pids->values,
		.n_pids = options->is_system_wide ? 0 : pids->n,
	};
}

/* Rings are emptied on the way: thousands of processes take a while. */
static int synthesize_processes(struct recorder *recorder)
{
	struct synthesizer *synthesizer;

	if (!recorder->options->is_system_wide && !is_attached(recorder->options))
		return 0;
	int more = synthesizer_create(&recorder->synthesize, &synthesizer);
	if (more)
		return explain(recorder, more, "cannot read /proc: %s", strerror(-more));
	do {
		more = synthesizer_step(synthesizer);
		if (more >= 0) {
			int err = capture_write(recorder->capture, recorder->writer, SIZE_MAX);
			if (!err)
				err = drain_round(&recorder->drain);
			more = err < 0 ? err : more;
		}
	} while (more > 0);
	synthesizer_destroy(synthesizer);
	return more;
}

/* What the samples count, where the attrs do not tell. */
static int attach_events(struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;
	int err = 0;

	for (size_t i = 0; i < options->n_events && !err; i++) {
		_cleanup_free_ char *text = event_text_write(&options->events[i]);
		char key[24];

		if (!text)
			return -ENOMEM;
		snprintf(key, sizeof(key), "%zu", i);
		if (*text)
			err = data_writer_attach(recorder->writer, ATTACHMENT_EVENT, key, text,
						 strlen(text));
	}
	return err;
}

/* What 32-bit programs get; capture takes it from the first of them where it can't be had now. */
static int attach_vdso32(struct recorder *recorder)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size;

	if (vdso32_read(&bytes, &size))
		return 0;
	capture_skip_vdso32(recorder->capture);
	return data_writer_attach(recorder->writer, ATTACHMENT_VDSO, "[vdso32]", bytes, size);
}

/* The code the kernel lends every process; with it, stacks that end in it are complete. */
static int attach_vdso(struct recorder *recorder)
{
	unsigned long address = getauxval(AT_SYSINFO_EHDR), start, end;
	char line[256];
	int err = 0;

	FILE *maps = fopen("/proc/self/maps", "re");
	if (!maps)
		return 0;
	while (!err && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start == address && address)
			err = data_writer_attach(recorder->writer, ATTACHMENT_VDSO, "[vdso]",
						 (const void *)start, end - start);
	}
	fclose(maps);
	return err;
}

/* Readers need it before the first sample, and then the names are still being read. */
static int attach_entry(struct recorder *recorder, const struct kernel_snapshot_result *kernel)
{
	char key[64];

	snprintf(key, sizeof(key), "entry %" PRIx64 " %" PRIx64, kernel->entry_start,
		 kernel->entry_end);
	return data_writer_attach(recorder->writer, ATTACHMENT_KALLSYMS, key, "", 0);
}

static void note_hidden_kernel(struct recorder *recorder)
{
	struct perf_limits limits;

	limits_read(&limits);
	if (limits.kptr_restrict >= 2)
		note(recorder, false,
		     "Kernel functions will have no names, for kernel.kptr_restrict is %d, which "
		     "hides the kernel's addresses from everybody: sysctl kernel.kptr_restrict=1 "
		     "shows them to root.",
		     limits.kptr_restrict);
	else
		note(recorder, false,
		     "Kernel functions will have no names, for the kernel hides its addresses: "
		     "run as root or with CAP_SYSLOG, or set kernel.kptr_restrict=0 and "
		     "kernel.perf_event_paranoid=1 by sysctl (they are %d and %d).",
		     limits.kptr_restrict, limits.paranoid);
}

static int attach_kernel(struct recorder *recorder)
{
	const struct kernel_snapshot_result *kernel = kernel_snapshot_wait(recorder->snapshot);

	if (kernel->error) {
		note(recorder, false, "The kernel's symbols cannot be read: %s.",
		     strerror(-kernel->error));
		return 0;
	}
	if (kernel->is_hidden && recorder->evlist->user_only)
		return 0;
	if (kernel->is_hidden) {
		note_hidden_kernel(recorder);
		return data_writer_attach(recorder->writer, ATTACHMENT_KALLSYMS, "",
					  kernel->compressed, kernel->compressed_size);
	}
	int err = data_writer_attach(recorder->writer, ATTACHMENT_KALLSYMS, "", kernel->compressed,
				     kernel->compressed_size);
	if (!err && kernel->entry_start)
		err = attach_entry(recorder, kernel);
	if (!err)
		err = synthesize_kernel(&recorder->synthesize, kernel->text_start, kernel->text_end,
					kernel->text_symbol);
	for (size_t i = 0; i < kernel->code.n && !err; i++)
		err = synthesize_kernel_code(&recorder->synthesize, &kernel->code.codes[i]);
	return err;
}

/* All that a reader needs before the first sample. */
static int write_start(struct recorder *recorder)
{
	prepare_synthesis(recorder);
	int err = attach_events(recorder);
	if (!err)
		err = attach_vdso(recorder);
	if (!err)
		err = attach_vdso32(recorder);
	if (!err)
		err = synthesize_processes(recorder);
	if (!err)
		err = attach_kernel(recorder);
	kernel_snapshot_destroy(steal_ptr(recorder->snapshot));
	if (err && !recorder->error_text)
		explain(recorder, err, "cannot write '%s': %s", recorder->options->output,
			strerror(-err));
	return err;
}

/* For whoever reads the recording. */
static int write_misses(struct recorder *recorder)
{
	const struct evlist *evlist = recorder->evlist;
	struct stack_misses misses = { .contexts_err = 0 };

	if (recorder->options->no_deep_stacks || !recorder->drain.has_known_clock)
		return 0;
	if (!evlist->contexts.n_ids)
		misses.contexts_err = -evlist->contexts_err;
	if (recorder->deep_stacks)
		memcpy(misses.deep, deep_stacks_stats(recorder->deep_stacks)->n_missed,
		       sizeof(misses.deep));
	return stack_output_write_misses(&recorder->drain.stack_output, &misses, now_ns());
}

/* What completes stacks. */
static int prepare_stacks(struct recorder *recorder)
{
	struct drain *drain = &recorder->drain;
	struct evlist *evlist = recorder->evlist;

	int err = deep_stacks_create(&drain->stack_output, &evlist->events[0].attr, NULL,
				     &recorder->deep_stacks);
	if (err)
		return err;
	drain->deep_stacks = recorder->deep_stacks;
	if (!evlist->contexts.n_ids) {
		/* Without stacks nobody asks for it. */
		note(recorder, evlist->contexts_err == -EOPNOTSUPP,
		     "handlers on signal stacks will have no callers: what they interrupt cannot "
		     "be recorded (signal:signal_deliver: %s).",
		     stack_misses_contexts_text(-evlist->contexts_err));
		return write_misses(recorder);
	}
	recorder->signal_contexts = signal_contexts_create(evlist, &drain->stack_output);
	drain->signal_contexts = recorder->signal_contexts;
	return recorder->signal_contexts ? 0 : -ENOMEM;
}

static int watch_fds(struct recorder *recorder)
{
	const int fds[] = { recorder->signal_fd,
			    recorder->deep_stacks ? deep_stacks_fd(recorder->deep_stacks) : -1 };

	recorder->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	if (recorder->wake_fd < 0)
		return -errno;
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		struct epoll_event event = { .events = EPOLLIN };

		if (fds[i] >= 0 && epoll_ctl(recorder->wake_fd, EPOLL_CTL_ADD, fds[i], &event) < 0)
			return -errno;
	}
	return 0;
}

static int open_all(struct recorder *recorder)
{
	int err = kernel_snapshot_start("/proc/kallsyms", &recorder->snapshot);
	if (err)
		return explain(recorder, err, "cannot start a thread: %s", strerror(-err));
	recorder->capture = capture_create(CAPTURE_MAX);
	recorder->code_reader = code_reader_create();
	recorder->jit_maps = jit_maps_create();
	recorder->jitdumps = jitdump_recorder_create();
	recorder->kernel_modules = kernel_modules_create("/proc");
	if (!recorder->capture || !recorder->code_reader || !recorder->jit_maps ||
	    !recorder->jitdumps || !recorder->kernel_modules)
		return explain(recorder, -ENOMEM, "out of memory");
	err = check_proc(recorder);
	if (!err)
		err = find_cpus(recorder);
	if (!err && is_attached(recorder->options))
		err = find_tasks(recorder);
	if (!err)
		err = catch_signals(recorder);
	if (!err)
		err = fork_command(recorder);
	if (!err)
		err = open_events(recorder);
	if (!err)
		err = open_output(recorder);
	if (!err)
		err = create_writer(recorder);
	if (err)
		return err;
	drain_init(&recorder->drain, recorder->evlist, recorder->writer, recorder->capture);
	if (recorder->drain.has_known_clock)
		recorder->drain.code_reader = recorder->code_reader;
	recorder->drain.jit_maps = recorder->jit_maps;
	recorder->drain.jitdumps = recorder->jitdumps;
	if (!recorder->options->no_deep_stacks)
		err = prepare_stacks(recorder);
	if (!err)
		err = watch_fds(recorder);
	return err ? explain(recorder, err, "cannot prepare to record: %s", strerror(-err))
		   : write_start(recorder);
}

int recorder_open(const struct recorder_options *options, struct recorder **recorder_ret,
		  char **error_ret)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	*error_ret = NULL;
	if (!recorder)
		return -ENOMEM;
	recorder->options = options;
	recorder->output_fd = recorder->signal_fd = recorder->wake_fd = -1;
	int err = open_all(recorder);
	if (err) {
		*error_ret = steal_ptr(recorder->error_text);
		recorder_close(recorder);
		return err;
	}
	*recorder_ret = recorder;
	return 0;
}

void recorder_close(struct recorder *recorder)
{
	if (!recorder)
		return;
	deep_stacks_destroy(recorder->deep_stacks);
	signal_contexts_destroy(recorder->signal_contexts);
	data_writer_destroy(recorder->writer);
	if (recorder->output_fd >= 0)
		close(recorder->output_fd);
	evlist_close(recorder->evlist);
	if (has_probes(recorder->options))
		probe_events_remove(recorder->options->events, recorder->options->n_events);
	if (recorder->has_command)
		command_deinit(&recorder->command);
	capture_destroy(recorder->capture);
	code_reader_destroy(recorder->code_reader);
	jit_maps_destroy(recorder->jit_maps);
	kernel_modules_destroy(recorder->kernel_modules);
	jitdump_recorder_destroy(recorder->jitdumps);
	kernel_snapshot_destroy(recorder->snapshot);
	if (recorder->signal_fd >= 0)
		close(recorder->signal_fd);
	if (recorder->wake_fd >= 0)
		close(recorder->wake_fd);
	if (recorder->is_mask_changed)
		sigprocmask(SIG_SETMASK, &recorder->old_mask, NULL);
	int_list_deinit(&recorder->cpus);
	int_list_deinit(&recorder->pids);
	int_list_deinit(&recorder->tids);
	for (size_t i = 0; i < recorder->n_notes; i++)
		free(recorder->notes[i].text);
	free(recorder->notes);
	free(recorder->error_text);
	free(recorder);
}

/* The thread that empties the rings must not wait for the load it records. Children do not
 * inherit. */
static void raise_priority(struct recorder *recorder)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0)
		note(recorder, true, "draining with real-time priority (SCHED_FIFO 1)");
	else if (setpriority(PRIO_PROCESS, 0, -20) == 0)
		note(recorder, true, "draining with nice -20");
	else
		note(recorder, true,
		     "draining with normal priority: on a busy machine samples may be lost");
}

static bool weighs_off_cpu(const struct recorder *recorder)
{
	const struct recorder_options *options = recorder->options;

	for (size_t i = 0; i < options->n_events; i++) {
		if (options->events[i].weight.kind == WEIGHT_OFF_CPU)
			return true;
	}
	return false;
}

/* From when, or to when, threads that sleep are known to be counted. */
static int write_window(struct recorder *recorder, enum window_record_kind kind)
{
	struct window_record record;

	if (!weighs_off_cpu(recorder))
		return 0;
	window_record_init(&record, kind, now_ns());
	return data_writer_append(recorder->writer, &record.header, sizeof(record));
}

/* Samples begin. */
static int enable(struct recorder *recorder)
{
	evlist_enable(recorder->evlist);
	recorder->enable_ns = UINT64_MAX;
	return write_window(recorder, WINDOW_RECORD_BEGIN);
}

static void stop_by(struct recorder *recorder, uint64_t time_ns)
{
	if (time_ns < recorder->stop_ns)
		recorder->stop_ns = time_ns;
}

/* The first signal lets a command end, the second does not wait for it. A terminal's signal has
 * reached the command too; any other is passed on. */
static void handle_signal(struct recorder *recorder, const struct signalfd_siginfo *info)
{
	struct command *command = &recorder->command;
	int signal_number = (int)info->ssi_signo;

	if (signal_number == SIGCHLD) {
		if (recorder->has_command && command_poll(command))
			recorder->is_stopped = true;
		return;
	}
	if (!recorder->has_command || recorder->stop_ns != UINT64_MAX)
		recorder->is_stopped = true;
	if (recorder->has_command && !command->has_ended && info->ssi_code != SI_KERNEL)
		kill(command->pid, signal_number);
	stop_by(recorder, now_ns() + GRACE_NS);
}

static void handle_signals(struct recorder *recorder)
{
	struct signalfd_siginfo info;

	while (read(recorder->signal_fd, &info, sizeof(info)) == sizeof(info))
		handle_signal(recorder, &info);
}

/* 0, or why the command could not be started. */
static int start(struct recorder *recorder, int *write_error_ret)
{
	const struct recorder_options *options = recorder->options;
	bool is_command_only =
		recorder->has_command && !options->is_system_wide && !is_attached(options);

	recorder->start_ns = now_ns();
	recorder->flush_ns = recorder->start_ns + FLUSH_INTERVAL_NS;
	recorder->stop_ns =
		options->duration_ns ? recorder->start_ns + options->duration_ns : UINT64_MAX;
	recorder->enable_ns = UINT64_MAX;
	raise_priority(recorder);
	if (options->delay_ns)
		recorder->enable_ns = recorder->start_ns + options->delay_ns;
	else if (!is_command_only)
		*write_error_ret = enable(recorder);
	return recorder->has_command ? command_start(&recorder->command) : 0;
}

/* What is due by the clock. */
static int keep_time(struct recorder *recorder)
{
	uint64_t now = now_ns();

	if (now >= recorder->enable_ns) {
		int err = enable(recorder);
		if (err)
			return err;
	}
	if (now >= recorder->stop_ns)
		recorder->is_stopped = true;
	if (now >= recorder->recheck_ns) {
		recorder->recheck_ns = now + DRAIN_INTERVAL_NS;
		capture_recheck(recorder->capture, RECHECK_FILES);
		evlist_vary_rates(recorder->evlist);
		int err = kernel_modules_look(recorder->kernel_modules, recorder->writer,
					      recorder->drain.has_known_clock ? now : 0);
		if (err)
			return err;
	}
	if (now < recorder->flush_ns)
		return 0;
	recorder->flush_ns = now + FLUSH_INTERVAL_NS;
	return data_writer_flush(recorder->writer);
}

static int timeout_ms(const struct recorder *recorder)
{
	uint64_t now = now_ns(), interval = DRAIN_INTERVAL_NS;

	if (recorder->deep_stacks) {
		uint64_t wanted = deep_stacks_interval_ns(recorder->deep_stacks);

		interval = wanted < interval ? wanted : interval;
	}
	uint64_t next = now + interval;
	if (recorder->enable_ns < next)
		next = recorder->enable_ns;
	if (recorder->stop_ns < next)
		next = recorder->stop_ns;
	return next > now ? (int)((next - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC) : 0;
}

static void wait_for_work(struct recorder *recorder)
{
	bool all_hung_up = false;

	if (recorder->drain.is_behind)
		return;
	int n = evlist_wait(recorder->evlist, recorder->wake_fd, timeout_ms(recorder),
			    &all_hung_up);
	if (n < 0 || all_hung_up) {
		/* A command tells its end itself. */
		if (!recorder->has_command)
			recorder->is_stopped = true;
		else if (n <= 0)
			poll(&(struct pollfd){ recorder->signal_fd, POLLIN, 0 }, 1,
			     timeout_ms(recorder));
	}
}

static int record(struct recorder *recorder)
{
	int err = 0;

	while (!recorder->is_stopped && err >= 0) {
		wait_for_work(recorder);
		handle_signals(recorder);
		err = drain_round(&recorder->drain);
		if (err >= 0)
			err = keep_time(recorder);
	}
	return err < 0 ? err : 0;
}

static uint64_t write_lost(struct recorder *recorder)
{
	struct evlist *evlist = recorder->evlist;
	bool is_known = true;
	uint64_t total = 0;

	for (size_t i = 0; i < evlist->n_events && is_known; i++) {
		const struct evlist_event *event = &evlist->events[i];
		uint64_t n = evlist_read_lost(evlist, i, &is_known);

		if (!is_known || !n)
			continue;
		total += n;
		synthesize_lost(&recorder->synthesize, event->ids[0], n, recorder->drain.newest_ns);
	}
	return is_known ? total : recorder->drain.n_lost;
}

static int finish(struct recorder *recorder, struct recorder_summary *summary)
{
	evlist_disable(recorder->evlist);
	summary->duration_ns = now_ns() - recorder->start_ns;
	int err = drain_all(&recorder->drain);
	if (!err)
		err = write_window(recorder, WINDOW_RECORD_END);
	capture_recheck(recorder->capture, SIZE_MAX);
	summary->n_lost = write_lost(recorder);
	if (!err)
		err = event_counts_write(recorder->evlist, recorder->writer);
	if (!err)
		err = capture_write(recorder->capture, recorder->writer, SIZE_MAX);
	if (!err)
		err = write_misses(recorder);
	if (!err)
		err = jit_maps_finish(recorder->jit_maps, recorder->writer);
	if (!err)
		err = jitdump_recorder_finish(recorder->jitdumps, recorder->writer);
	if (!err)
		err = kernel_modules_finish(recorder->kernel_modules, recorder->writer,
					    recorder->drain.has_known_clock ? now_ns() : 0);
	return err ? err : data_writer_finish(recorder->writer);
}

/* The command may outlive the recording; it is told to end, as perf does. By now a second ^C
 * ends the recorder as well. */
static void end_command(struct recorder *recorder, struct recorder_summary *summary)
{
	struct sched_param param = { 0 };

	sched_setscheduler(0, SCHED_OTHER, &param);
	if (!recorder->has_command)
		return;
	if (!command_poll(&recorder->command)) {
		kill(recorder->command.pid, SIGTERM);
		sigprocmask(SIG_SETMASK, &recorder->old_mask, NULL);
		command_wait(&recorder->command);
	}
	summary->has_command_exit_code = true;
	summary->command_exit_code = command_exit_code(&recorder->command);
}

void recorder_run(struct recorder *recorder, struct recorder_summary *summary_ret)
{
	struct recorder_summary summary = { 0 };

	int err = 0;
	summary.command_error = start(recorder, &err);
	if (!summary.command_error && !err)
		err = record(recorder);
	int finish_err = finish(recorder, &summary);
	summary.write_error = err ? err : finish_err;
	end_command(recorder, &summary);

	const struct capture_stats *captured = capture_stats(recorder->capture);
	summary.n_samples = recorder->drain.n_samples;
	summary.n_bytes = data_writer_n_bytes(recorder->writer);
	summary.n_lost_sideband = recorder->drain.n_lost_sideband;
	summary.n_throttled = recorder->drain.n_throttled;
	summary.n_corrupt_rings = recorder->drain.n_corrupt_rings;
	summary.n_code_missed = code_reader_stats(recorder->code_reader)->n_missed;
	summary.jit_maps = *jit_maps_stats(recorder->jit_maps);
	summary.jitdumps = *jitdump_recorder_stats(recorder->jitdumps);
	summary.n_captured = captured->n_kept;
	summary.n_capture_missed = captured->n_missed;
	summary.missed_path = captured->first_missed;
	if (recorder->deep_stacks)
		summary.deep_stacks = *deep_stacks_stats(recorder->deep_stacks);
	if (recorder->signal_contexts)
		summary.signal_contexts = *signal_contexts_stats(recorder->signal_contexts);
	*summary_ret = summary;
}
