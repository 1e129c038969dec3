#include "perf/counters/attr_fallback.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/sentence.h"
#include "perf/counters/evlist_notes.h"

/* include/uapi/linux/perf_event.h of 6.0; older build machines lack the name. */
#define FORMAT_LOST (1u << 4)
#define ATTR_SIZE   128 /* PERF_ATTR_SIZE_VER7: no newer field is used */
static_assert(sizeof(struct perf_event_attr) >= ATTR_SIZE, "kernel headers of 5.13 or newer");

/* arch/x86/include/uapi/asm/perf_regs.h: all but DS, ES, FS, GS, which user samples lack.
 * arch/arm64/include/uapi/asm/perf_regs.h: x0..x30, sp, pc. */
#if defined(__x86_64__)
#define USER_REGS 0xff0fffull
#elif defined(__aarch64__)
#define USER_REGS 0x1ffffffffull
#else
#error "user registers of this architecture are not known"
#endif

static bool has(const struct attr_request *request, enum attr_feature feature)
{
	return !(request->dropped & 1u << feature);
}

/* Readers require the same sample_type in all events, including the sideband event. */
static void init_common(struct perf_event_attr *attr, const struct attr_request *request)
{
	attr->size = ATTR_SIZE;
	attr->disabled = 1;
	attr->inherit = request->inherit;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			    PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
	attr->sample_type |=
		has(request, ATTR_IDENTIFIER) ? PERF_SAMPLE_IDENTIFIER : PERF_SAMPLE_ID;
	if (request->stack_size || request->has_arguments) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user = USER_REGS;
	}
	if (request->stack_size) {
		attr->sample_type |= PERF_SAMPLE_STACK_USER;
		attr->sample_stack_user = request->stack_size;
		attr->exclude_callchain_user = 1;
	}
	if (request->has_cgroups && has(request, ATTR_CGROUP))
		attr->sample_type |= PERF_SAMPLE_CGROUP;
	if (request->has_raw)
		attr->sample_type |= PERF_SAMPLE_RAW;
	attr->sample_id_all = 1;
	attr->read_format =
		PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (has(request, ATTR_LOST))
		attr->read_format |= FORMAT_LOST;
	if (request->reads_groups) {
		attr->sample_type |= PERF_SAMPLE_READ;
		attr->read_format |= PERF_FORMAT_GROUP;
	}
	if (has(request, ATTR_CLOCKID)) {
		attr->use_clockid = 1;
		attr->clockid = CLOCK_MONOTONIC;
	}
	attr->watermark = 1;
	attr->wakeup_watermark = request->watermark;
}

void attr_set_rate(struct perf_event_attr *attr, uint64_t period, uint64_t frequency)
{
	attr->freq = frequency != 0;
	if (frequency)
		attr->sample_freq = frequency;
	else
		attr->sample_period = period;
}

void attr_init_sample(struct perf_event_attr *attr, const struct attr_request *request,
		      const struct perf_event_attr *event)
{
	*attr = *event;
	init_common(attr, request);
	attr_set_rate(attr, request->period, request->frequency);
	/* With PERF_SAMPLE_IDENTIFIER, the id is at the same position as in the other events. */
	if (request->lacks_periods && has(request, ATTR_IDENTIFIER))
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	attr->enable_on_exec = request->samples_on_exec;
}

void attr_init_counted(struct perf_event_attr *attr, const struct attr_request *request,
		       const struct perf_event_attr *event)
{
	*attr = *event;
	init_common(attr, request);
	attr->disabled = 0; /* a member follows its leader */
}

void attr_init_sideband(struct perf_event_attr *attr, const struct attr_request *request)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = has(request, ATTR_DUMMY) ? PERF_COUNT_SW_DUMMY : PERF_COUNT_SW_CPU_CLOCK,
		.exclude_kernel = 1, /* a dummy event counts nothing, so it needs no permission */
		.exclude_hv = 1,
		.mmap = 1,
		.mmap_data = 1,
		.comm = 1,
		.task = 1,
		.mmap2 = has(request, ATTR_MMAP2),
		.build_id = has(request, ATTR_BUILD_ID),
		.comm_exec = has(request, ATTR_COMM_EXEC),
		.namespaces = has(request, ATTR_NAMESPACES),
		.ksymbol = has(request, ATTR_KSYMBOL),
		.bpf_event = has(request, ATTR_KSYMBOL),
		.text_poke = has(request, ATTR_TEXT_POKE),
		.cgroup = request->has_cgroups && has(request, ATTR_CGROUP),
		.context_switch = request->switches,
		.enable_on_exec = request->sideband_on_exec,
	};
	init_common(attr, request);
	/*
	 * The kernel speeds up a switch between two tasks that inherited the same events by
	 * exchanging their event contexts. But a probe is placed in the memory of the task that its
	 * event was opened for: when that task exits, the other is no longer probed. An event with
	 * this attr prevents the exchange.
	 */
	if (request->has_probes && request->inherit && has(request, ATTR_READ_INHERITED))
		attr->sample_type |= PERF_SAMPLE_READ;
}

static int open_once(struct attr_opener *opener, struct perf_event_attr *attr, pid_t pid, int cpu,
		     int group_fd)
{
	unsigned long flags = opener->lacks_cloexec ? 0 : PERF_FLAG_FD_CLOEXEC;
	if (opener->has_cgroup && pid != -1)
		flags |= PERF_FLAG_PID_CGROUP;
	int fd = opener->syscalls.open(opener->syscalls.arg, attr, pid, cpu, group_fd, flags);
	if (fd < 0)
		return -errno;
	if (opener->lacks_cloexec)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

/* Raises the soft limit first and then, where permitted, the hard limit up to the kernel's maximum.
 */
static bool raise_fd_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return false;
	if (limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		return setrlimit(RLIMIT_NOFILE, &limit) == 0;
	}
	FILE *file = fopen("/proc/sys/fs/nr_open", "re");
	if (!file)
		return false;
	unsigned long long most = 0;
	int n = fscanf(file, "%llu", &most);
	fclose(file);
	if (n != 1 || most <= limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max = most;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static bool is_refusal(int err)
{
	return err == -EACCES || err == -EPERM;
}

static int probe_once(struct attr_opener *opener, const struct attr_request *request,
		      unsigned int dropped)
{
	struct attr_request tried = *request;
	tried.dropped = dropped;
	struct perf_event_attr attr;
	attr_init_sideband(&attr, &tried);
	opener->lacks_cloexec = !has(&tried, ATTR_CLOEXEC);
	int fd;
	do {
		fd = open_once(opener, &attr, 0, -1, -1);
	} while (fd == -EMFILE && raise_fd_limit());
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* The feature to give up next after @err; ATTR_N_FEATURES: giving up more would not help. */
static enum attr_feature next_to_drop(int err, unsigned int dropped)
{
	if (is_refusal(err) && !(dropped & 1u << ATTR_NAMESPACES))
		return ATTR_NAMESPACES;
	if (err == -ENOENT && !(dropped & 1u << ATTR_DUMMY))
		return ATTR_DUMMY;
	if (err != -EINVAL)
		return ATTR_N_FEATURES;
	int feature = 0;
	while (feature < ATTR_N_FEATURES && dropped & 1u << feature)
		feature++;
	return feature;
}

/* NULL: without consequence for the user. */
static const char *const feature_notes[ATTR_N_FEATURES] = {
	[ATTR_READ_INHERITED] = "This kernel may miss calls in programs that run at the same "
				"time and have the same parent (fixed in 6.12).",
	[ATTR_LOST] = "This kernel does not count lost samples by event (6.0 does); they are "
		      "counted from its LOST records.",
	[ATTR_BUILD_ID] = "This kernel does not report build IDs of mappings (5.12 does); "
			  "build IDs are read from the files.",
	[ATTR_CGROUP] = "This kernel does not report the cgroup of a sample (5.7 does, with "
			"CONFIG_CGROUP_PERF): reports cannot show or select cgroups.",
	[ATTR_KSYMBOL] = "This kernel does not report BPF programs and other kernel code that "
			 "is loaded and unloaded (5.1 does); this code may have no names.",
	[ATTR_NAMESPACES] = "This kernel does not report namespaces (4.12 does); files in "
			    "containers may not be found.",
	[ATTR_CLOCKID] = "This kernel timestamps records with an internal clock; "
			 "CLOCK_MONOTONIC needs Linux 4.1.",
	[ATTR_COMM_EXEC] = "This kernel does not mark the exec of a program (3.16 does); "
			   "mappings of a process before and after an exec may be mixed up.",
	[ATTR_MMAP2] = "This kernel does not report the inode of mappings (3.16 does); "
		       "replaced files cannot be detected.",
};

static void note_dropped(struct attr_opener *opener, unsigned int dropped)
{
	for (int i = 0; i < ATTR_N_FEATURES; i++)
		if (dropped & 1u << i && feature_notes[i])
			evlist_note(opener->evlist, sentence("%s", feature_notes[i]));
}

int attr_probe(struct attr_opener *opener, struct attr_request *request)
{
	unsigned int forbidden = opener->limits->has_cap_perfmon ? 0 : 1u << ATTR_NAMESPACES;
	unsigned int dropped = request->dropped | forbidden;
	int err;
	while ((err = probe_once(opener, request, dropped)) < 0) {
		enum attr_feature feature = next_to_drop(err, dropped);
		if (feature == ATTR_N_FEATURES)
			return err;
		if (is_refusal(err))
			forbidden |= 1u << feature;
		dropped |= 1u << feature;
	}
	/* Distributions backport features to kernels with an older version number: restore these
	 * features. */
	for (int i = 0; i < ATTR_N_FEATURES; i++) {
		unsigned int feature = 1u << i;
		if (dropped & ~forbidden & feature &&
		    probe_once(opener, request, dropped & ~feature) == 0)
			dropped &= ~feature;
	}
	if (dropped & 1u << ATTR_MMAP2)
		dropped |= 1u << ATTR_BUILD_ID; /* which MMAP2 records carry */
	request->dropped = dropped;
	opener->lacks_cloexec = !has(request, ATTR_CLOEXEC);
	note_dropped(opener, dropped & ~forbidden);
	return 0;
}

static bool lower_frequency(struct perf_event_attr *attr)
{
	struct perf_limits now; /* the kernel lowers its limit when samples take too long */
	limits_read(&now);
	if (!attr->freq || attr->sample_freq <= now.max_sample_rate || now.max_sample_rate == 0)
		return false;
	attr->sample_freq = now.max_sample_rate;
	return true;
}

bool attr_leave_out_kernel(struct perf_event_attr *attr)
{
	/* Most tracepoints are in the kernel: an event that excludes the kernel would count
	 * nothing. */
	if (attr->exclude_kernel || attr->exclude_user || attr->type == PERF_TYPE_TRACEPOINT)
		return false;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	return true;
}

/*
 * The upper half of a generic event's config names a PMU of a hybrid processor since 5.13, on arm64
 * since 6.6. Events are opened for each CPU, and older kernels use that CPU's PMU.
 */
static bool forget_pmu(struct perf_event_attr *attr)
{
	bool is_generic = attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE;
	if (!is_generic || !(attr->config >> 32))
		return false;
	attr->config &= UINT32_MAX;
	return true;
}

/* Changes one field of @attr that may be the cause of @err. */
static bool give_way(struct perf_event_attr *attr, int err)
{
	switch (err) {
	case -EMFILE:
		return raise_fd_limit();
	case -EACCES:
	case -EPERM:
		return attr_leave_out_kernel(attr);
	case -ENOENT:
		return forget_pmu(attr);
	case -EINVAL:
	case -EOPNOTSUPP:
		if (forget_pmu(attr))
			return true;
		if (attr->precise_ip > 0) {
			attr->precise_ip--;
			return true;
		}
		if (lower_frequency(attr))
			return true;
		if (attr->exclude_guest) {
			attr->exclude_guest = 0;
			return true;
		}
		return false;
	default:
		return false;
	}
}

static void note_guests(struct attr_opener *opener)
{
	evlist_note(opener->evlist, sentence("An event counts in virtual machines too, because "
					     "this machine cannot exclude them."));
}

static void note_changes(struct attr_opener *opener, const struct perf_event_attr *asked,
			 const struct perf_event_attr *attr)
{
	struct evlist *evlist = opener->evlist;

	evlist->user_only |= attr->exclude_kernel && !asked->exclude_kernel;
	if (attr->precise_ip != asked->precise_ip)
		evlist_note(evlist, sentence("The precision of an event was lowered from %d to "
					     "%d, the maximum of this machine.",
					     asked->precise_ip, attr->precise_ip));
	if (attr->freq && attr->sample_freq != asked->sample_freq)
		evlist_note_rate(evlist, asked->sample_freq, attr->sample_freq);
	if (attr->exclude_guest != asked->exclude_guest)
		note_guests(opener);
}

int attr_open(struct attr_opener *opener, struct perf_event_attr *attr, pid_t pid, int cpu,
	      int group_fd)
{
	struct perf_event_attr tried = *attr;
	int fd;
	while ((fd = open_once(opener, &tried, pid, cpu, group_fd)) < 0)
		if (!give_way(&tried, fd))
			return fd;
	note_changes(opener, attr, &tried);
	*attr = tried;
	return fd;
}

/* Tries the lower levels, then all levels with guests included, and 0 last. */
static bool lower_precise(struct perf_event_attr *attr, int err, unsigned int highest)
{
	if (err != -EINVAL && err != -EOPNOTSUPP && err != -ENOENT)
		return give_way(attr, err);
	if (attr->precise_ip > 1) {
		attr->precise_ip--;
		return true;
	}
	if (attr->exclude_guest) {
		attr->exclude_guest = 0;
		attr->precise_ip = highest;
		return true;
	}
	attr->precise_ip = 0;
	return false;
}

void attr_choose_precise(struct attr_opener *opener, struct perf_event_attr *attr)
{
	struct perf_event_attr tried = {
		.size = attr->size,
		.type = attr->type,
		.config = attr->config,
		.config1 = attr->config1,
		.config2 = attr->config2,
		.sample_period = attr->freq ? 100000 : attr->sample_period,
		.disabled = 1,
		.exclude_user = attr->exclude_user,
		.exclude_kernel = attr->exclude_kernel,
		.exclude_hv = attr->exclude_hv,
		.exclude_host = attr->exclude_host,
		.exclude_guest = attr->exclude_guest,
		.precise_ip = attr->precise_ip,
	};
	int fd;
	while ((fd = open_once(opener, &tried, 0, -1, -1)) < 0)
		if (!lower_precise(&tried, fd, attr->precise_ip))
			break;
	if (fd >= 0)
		close(fd);
	attr->precise_ip = tried.precise_ip;
	/* AMD's IBS, which makes cycles precise, cannot exclude guests. */
	if (attr->exclude_guest && tried.precise_ip && !tried.exclude_guest) {
		attr->exclude_guest = 0;
		note_guests(opener);
	}
}

bool attr_choose_branches(struct attr_opener *opener, struct perf_event_attr *attr, uint64_t filter)
{
	struct perf_event_attr tried = *attr;
	int fd;

	tried.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	tried.branch_sample_type = filter;
	tried.disabled = 1;
	tried.enable_on_exec = 0;
	while ((fd = open_once(opener, &tried, 0, -1, -1)) < 0)
		if (!give_way(&tried, fd))
			return false;
	close(fd);
	attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = filter;
	return true;
}

int attr_open_exactly(struct attr_opener *opener, struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd;

	do {
		fd = open_once(opener, attr, pid, cpu, -1);
	} while (fd == -EMFILE && raise_fd_limit());
	return fd;
}
