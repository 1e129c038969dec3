#include "collector/doctor/event_checks.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "perf/catalog/event_parse.h"
#include "perf/counters/evlist.h"
#include "perf/counters/refusal.h"
#include "perf/kernel/bpf.h"
#include "perf/kernel/debug_registers.h"
#include "perf/kernel/tracefs.h"

#define RARELY INT32_MAX /* a period that is not reached before the event is closed */
/* The levels of perf_event_paranoid that permit an event are at most this. */
#define LOWEST_LEVEL (-1)
#define NO_LEVEL     INT_MIN /* none permits it */

/* Opens the event and closes it. 0 or -errno. @pid, @cpu: as for perf_event_open(2). */
static int try_attr(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct perf_event_attr tried = *attr;

	tried.size = sizeof(tried);
	tried.disabled = 1;
	if (!tried.sample_period)
		tried.sample_period = RARELY;
	int fd = evlist_real_syscalls.open(NULL, &tried, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int try_clock(bool with_kernel, pid_t pid, int cpu)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.exclude_kernel = !with_kernel,
		.exclude_hv = !with_kernel,
	};

	return try_attr(&attr, pid, cpu);
}

/* The command that permits events up to a level of perf_event_paranoid. */
static char *level_command(const struct perf_limits *limits, int level)
{
	if (limits->has_cap_perfmon || limits->paranoid <= level)
		return NULL;
	return level == NO_LEVEL
		       ? sentence("run as root, or: setcap cap_perfmon,cap_sys_ptrace=ep DENDRO")
		       : sentence("sysctl kernel.perf_event_paranoid=%d", level);
}

/* Adds why an event of this kind can't be opened. */
static void add_refusal(struct diagnosis *diagnosis, const char *check, int err, int level,
			const char *what)
{
	const struct perf_limits *limits = &diagnosis->limits;
	enum refusal_gate gate = refusal_gate_try(&evlist_real_syscalls, limits);

	if (gate != GATE_OPEN) {
		diagnosis_add(diagnosis, check, FINDING_NO, refusal_gate_sentence(gate, limits),
			      gate == GATE_PARANOID ? level_command(limits, level) : NULL);
		return;
	}
	if (err != -EACCES && err != -EPERM) {
		diagnosis_add(diagnosis, check, FINDING_NO,
			      sentence("The kernel refuses %s: %s.", what, strerror(-err)), NULL);
		return;
	}
	diagnosis_add(
		diagnosis, check, FINDING_NO,
		sentence("%s needs root or CAP_PERFMON%s; kernel.perf_event_paranoid is %d.", what,
			 limits->in_user_namespace ? " outside of this container's user namespace"
						   : "",
			 limits->paranoid),
		level_command(limits, level));
}

void check_own_programs(struct diagnosis *diagnosis, const char *check)
{
	int err = try_clock(false, 0, -1);

	if (err)
		add_refusal(diagnosis, check, err, 2, "Recording one's own programs");
	else
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("'dendro record COMMAND' works."), NULL);
}

void check_kernel_code(struct diagnosis *diagnosis, const char *check)
{
	int err = try_clock(true, 0, -1);

	if (err)
		add_refusal(diagnosis, check, err, 1, "What programs do in the kernel");
	else
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("Paths go on into the kernel."), NULL);
}

/* The first CPU that is online: CPU 0 can be switched off. */
static int first_cpu(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	int cpu = 0;

	if (file && fscanf(file, "%d", &cpu) != 1)
		cpu = 0;
	if (file)
		fclose(file);
	return cpu;
}

void check_whole_machine(struct diagnosis *diagnosis, const char *check)
{
	int err = try_clock(true, -1, first_cpu());

	if (err)
		add_refusal(diagnosis, check, err, 0, "Recording the whole machine");
	else
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("'dendro record -a', 'dendro top -a' and 'dendro agent' "
				       "work."),
			      NULL);
}

/* Whether the processor says that it is a virtual one (CPUID's hypervisor bit). */
static bool is_virtual(void)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	bool found = false;
	FILE *file = fopen("/proc/cpuinfo", "re");

	while (file && !found && getline(&line, &size, file) >= 0)
		found = strncmp(line, "flags", 5) == 0 && strstr(line, " hypervisor");
	if (file)
		fclose(file);
	return found;
}

static char *absent_counters_text(void)
{
	return is_virtual()
		       ? sentence("This virtual machine has no hardware counters: its host does "
				  "not pass a PMU on. Samples are taken by time (cpu-clock) "
				  "instead.")
		       : sentence("The kernel has no driver for this processor's counters, or "
				  "they are switched off. Samples are taken by time (cpu-clock) "
				  "instead.");
}

void check_hardware_events(struct diagnosis *diagnosis, const char *check)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int err = try_attr(&attr, 0, -1);

	if (err == -EACCES || err == -EPERM)
		add_refusal(diagnosis, check, err, 2, "Counting by hardware");
	else if (err)
		diagnosis_add(diagnosis, check, FINDING_NO, absent_counters_text(),
			      is_virtual() ? sentence("on the host: qemu -cpu host,pmu=on") : NULL);
	else
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("'dendro list hardware cache' names them."), NULL);
}

void check_branches(struct diagnosis *diagnosis, const char *check)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int err = try_attr(&attr, 0, -1);

	if (err == -EACCES || err == -EPERM)
		add_refusal(diagnosis, check, err, 2, "Recording branches");
	else if (err)
		diagnosis_add(diagnosis, check, FINDING_NO,
			      sentence("The processor records no branches that this machine can "
				       "read (LBR, BRS, BRBE): 'record -b' records without."),
			      NULL);
	else
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("'dendro record -b' and 'dendro branches' work."), NULL);
}

/* Opens the first event that @spelling means. 0, -errno; 1: it means none, and *@text_ret, on the
 * heap, says why. */
static int try_spelling(const char *spelling, char **text_ret)
{
	struct event *events = NULL;
	size_t n_events = 0;
	enum event_error error = event_parse(spelling, &events, &n_events, text_ret);

	if (error != EVENT_OK)
		return 1;
	struct perf_event_attr attr = events[0].attr;
	if (attr.type == PERF_TYPE_TRACEPOINT)
		attr.sample_type = PERF_SAMPLE_RAW;
	else if (attr.type == PERF_TYPE_BREAKPOINT)
		attr.exclude_kernel = 1;
	int err = try_attr(&attr, 0, -1);
	events_destroy(events, n_events);
	return err;
}

/* An event by its spelling, which needs @level: @yes says what works. */
static void check_spelling(struct diagnosis *diagnosis, const char *check, const char *spelling,
			   int level, const char *what, const char *yes)
{
	char *text = NULL;
	int err = try_spelling(spelling, &text);

	if (err > 0)
		diagnosis_add(diagnosis, check, FINDING_NO,
			      text ? text : sentence("'%s' is not known here.", spelling), NULL);
	else if (err)
		add_refusal(diagnosis, check, err, level, what);
	else
		diagnosis_add(diagnosis, check, FINDING_YES, sentence("%s", yes), NULL);
}

void check_tracepoints(struct diagnosis *diagnosis, const char *check)
{
	char path[PATH_MAX];
	int err = tracefs_find(path);

	if (err)
		diagnosis_add(diagnosis, check, FINDING_NO, tracefs_explain(err),
			      err == -ENOENT
				      ? sentence("mount -t tracefs nodev /sys/kernel/tracing")
				      : NULL);
	else
		check_spelling(diagnosis, check, "sched:sched_switch", LOWEST_LEVEL,
			       "Recording tracepoints, with what they carry,",
			       "System calls, time off the CPU and 'dendro list tracepoint' "
			       "work.");
}

void check_probes(struct diagnosis *diagnosis, const char *check)
{
	check_spelling(diagnosis, check, "call:libc:malloc", NO_LEVEL, "A probe on a function",
		       "Calls of functions (call:, uprobe:, usdt:) and alloc-bytes work.");
}

void check_breakpoints(struct diagnosis *diagnosis, const char *check)
{
	static long watched;
	char spelling[64];

	if (!debug_registers_work()) {
		diagnosis_add(diagnosis, check, FINDING_NO,
			      sentence("Debug registers do nothing in this virtual machine: what "
				       "is watched (mem:) is never seen to be touched, and stacks "
				       "that are deeper than their copies stay cut."),
			      NULL);
		return;
	}
	if (!debug_registers_are_safe()) {
		diagnosis_add(diagnosis, check, FINDING_LIMITED,
			      sentence("They work, but this is a virtual machine of KVM on an "
				       "Intel processor: a host before Linux 6.14 may end a "
				       "watched program by SIGTRAP. So dendro itself watches no "
				       "stacks with them."),
			      NULL);
		return;
	}
	snprintf(spelling, sizeof(spelling), "mem:%p/%zu:w", (void *)&watched, sizeof(watched));
	check_spelling(diagnosis, check, spelling, 2, "Watching memory",
		       "Accesses to an address (mem:) can be recorded.");
}

void check_bpf(struct diagnosis *diagnosis, const char *check)
{
	struct bpf_code code = { .n = 0 };

	bpf_move_value(&code, BPF_REG_0, 0);
	bpf_return(&code);
	int fd = bpf_load_program(&code, BPF_PROG_TYPE_PERF_EVENT, "doctor");
	if (fd >= 0) {
		close(fd);
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("Stacks beside the sampled one are recorded, too."), NULL);
		return;
	}
	diagnosis_add(diagnosis, check, FINDING_LIMITED,
		      sentence("The kernel loads no programs of this user (%s), so paths of "
			       "programs that switch stacks, and of signal handlers, may end "
			       "early.",
			       strerror(-fd)),
		      fd == -EPERM ? sentence("run as root, or with CAP_BPF and CAP_PERFMON")
				   : NULL);
}
