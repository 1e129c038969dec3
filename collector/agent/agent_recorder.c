#include "collector/agent/agent_recorder.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "collector/command-line/messages.h"
#include "collector/files/recording_run.h"
#include "collector/sandbox/child_process.h"

/* At low rates the rings hold the samples of seconds: nothing is gained by waking more often. With
 * the times that mappings and processes wake it, about once a second in all. */
#define INTERVAL_NS (12 * NSEC_PER_SEC / 10)
/* Rings hold the samples of so many such times, if they do not take more than this part of the
 * memory: so they need not wake their reader before it comes by itself, and have room also while a
 * window ends and the next begins. */
#define RING_INTERVALS 2
#define MEMORY_PART    64
#define RING_SIZE_MIN  (1u << 20)

static uint64_t ring_size(const struct recorder_options *options)
{
	const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t most = memory / MEMORY_PART / (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
	const uint64_t wanted = RING_INTERVALS * options->n_events * options->frequency *
				options->stack_size * INTERVAL_NS / NSEC_PER_SEC;
	uint64_t size = RING_SIZE_MIN;

	while (size < wanted && size * 2 <= most)
		size *= 2;
	return size;
}

static int record(const struct record_arguments *arguments)
{
	const struct recorder_options *options = &arguments->options;
	_cleanup_free_ char *error = NULL;
	struct recorder_summary summary;
	struct recorder *recorder;

	int err = recorder_open(options, &recorder, &error);
	if (err && error)
		return message_error(arguments->command, "%s", error);
	if (err)
		return message_error(arguments->command, "cannot record: %s.", strerror(-err));
	recording_run_print_notes(recorder, 0, arguments);
	size_t n_notes = recorder_n_notes(recorder);
	recorder_run(recorder, &summary);
	builder_link_tell_samples(options->builder->supply_fd, summary.end_ns, summary.n_samples);
	recorder_report(recorder, arguments->is_verbose);
	recording_run_print_notes(recorder, n_notes, arguments);
	recorder_close(recorder);
	return summary.write_error
		       ? message_error(arguments->command,
				       "the process that builds the window's profile has ended "
				       "early: %s.",
				       strerror(-summary.write_error))
		       : 0;
}

static _Noreturn void run(const struct agent_options *options, uint64_t rate, int supply_fd,
			  pid_t agent)
{
	const struct builder_link supply = { .supply_fd = supply_fd };
	struct record_arguments arguments = options->record;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != agent)
		_exit(1);
	child_process_keep(&supply_fd, 1);
	arguments.options.signals = &arguments.signals;
	arguments.options.builder = &supply;
	arguments.options.is_system_wide = true;
	arguments.options.frequency = rate;
	arguments.options.output = NULL;
	/* Reading the rest of deep stacks takes wake-ups, and debug registers of threads. */
	arguments.options.deep_stacks = DEEP_STACKS_CUT;
	arguments.options.ring_size = ring_size(&arguments.options);
	arguments.options.interval_ns = INTERVAL_NS;
	/* The rings have room for them. */
	arguments.options.samples_first = true;
	arguments.options.parts = (struct output_switch_choice){
		.is_given = true,
		.is_aligned = true,
		.time_ns = options->window_ns,
	};
	_exit(record(&arguments));
}

int agent_recorder_start(const struct agent_options *options, uint64_t rate,
			 struct agent_recorder *recorder_ret)
{
	const pid_t agent = getpid();
	int end;
	const pid_t pid = child_process_fork_linked(&end);

	if (pid < 0)
		return pid;
	if (pid == 0)
		run(options, rate, end, agent);
	*recorder_ret = (struct agent_recorder){ pid, end };
	return 0;
}
