#include "collector/record/cpu_hotplug.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "collector/record/live/targets.h"
#include "perf/records/window_record.h"

/* lib/kobject_uevent.c: the group to which the kernel itself sends; udev has another one. */
#define KERNEL_GROUP 1
/* A uevent is "ACTION@DEVPATH" and variables, 2 KiB at most (UEVENT_BUFFER_SIZE). */
#define UEVENT_MAX 4096
/* So many uevents of other devices fit while a round is read. */
#define RECEIVE_BUFFER (1 << 20)

static int open_uevents(void)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	const int size = RECEIVE_BUFFER;
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -1;
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		close(fd);
		return -1;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	return fd;
}

static void add_cpu(struct cpu_hotplug *hotplug, int number, enum cpu_presence presence)
{
	const struct evlist *evlist = hotplug->drain->evlist;
	struct watched_cpu *cpu = &hotplug->cpus[hotplug->n_cpus++];

	*cpu = (struct watched_cpu){ .cpu = number, .presence = presence };
	if (hotplug->counts_tasks)
		return;
	for (size_t ring = 0; ring < evlist->n_sample_rings; ring++)
		cpu->has_samples |= evlist->ring_cpus[ring] == number;
}

static int add_cpus(struct cpu_hotplug *hotplug, const struct int_list *absent)
{
	struct int_list online = { 0 };
	int err = targets_online_cpus(&online);

	if (err) /* nothing is known about CPUs, so none is watched */
		return err == -ENOMEM ? err : 0;
	hotplug->cpus = calloc(online.n + absent->n, sizeof(*hotplug->cpus));
	for (size_t i = 0; i < online.n && hotplug->cpus; i++) {
		if (!int_list_has(absent, online.values[i]))
			add_cpu(hotplug, online.values[i], CPU_RECORDED);
	}
	for (size_t i = 0; i < absent->n && hotplug->cpus; i++) {
		bool has_come = int_list_has(&online, absent->values[i]);

		add_cpu(hotplug, absent->values[i], has_come ? CPU_BACK : CPU_OFFLINE);
	}
	int_list_deinit(&online);
	return hotplug->cpus ? 0 : -ENOMEM;
}

int cpu_hotplug_init(struct cpu_hotplug *hotplug, struct drain *drain,
		     const struct int_list *absent, struct recording_notes *notes,
		     const struct synthesize_options *synthesize)
{
	*hotplug = (struct cpu_hotplug){
		.drain = drain,
		.counts_tasks = !synthesize,
		.notes = notes,
		.synthesize = synthesize,
		.uevents_fd = open_uevents(),
	};
	return add_cpus(hotplug, absent);
}

void cpu_hotplug_deinit(struct cpu_hotplug *hotplug)
{
	if (hotplug->drain)
		cleanup_close(&hotplug->uevents_fd);
	synthesizer_destroy(hotplug->synthesizer);
	free(hotplug->cpus);
	*hotplug = (struct cpu_hotplug){ .drain = NULL };
}

static uint64_t present_ns(const struct cpu_hotplug *hotplug)
{
	return hotplug->drain->has_known_clock ? now_ns() : hotplug->drain->newest_ns;
}

static int write_window(const struct cpu_hotplug *hotplug, const struct watched_cpu *cpu,
			enum window_record_kind kind)
{
	struct window_record record;

	if (!cpu->has_samples)
		return 0;
	window_record_init(&record, kind, present_ns(hotplug));
	record.cpu = (uint32_t)cpu->cpu;
	return data_writer_append(hotplug->drain->writer, &record.header, sizeof(record));
}

static int lose(const struct cpu_hotplug *hotplug, struct watched_cpu *cpu)
{
	bool is_known = cpu->presence != CPU_RECORDED;

	cpu->presence = CPU_OFFLINE;
	return is_known ? 0 : write_window(hotplug, cpu, WINDOW_RECORD_CPU_LOST);
}

int cpu_hotplug_take_uevent(const struct cpu_hotplug *hotplug, const char *uevent)
{
	char action[16];
	int number, end = 0;

	if (sscanf(uevent, "%15[a-z]@/devices/system/cpu/cpu%d%n", action, &number, &end) != 2 ||
	    uevent[end])
		return 0;
	for (size_t i = 0; i < hotplug->n_cpus; i++) {
		struct watched_cpu *cpu = &hotplug->cpus[i];

		if (cpu->cpu != number)
			continue;
		if (strcmp(action, "offline") == 0)
			return lose(hotplug, cpu);
		if (strcmp(action, "online") == 0 && cpu->presence == CPU_OFFLINE)
			cpu->presence = CPU_BACK;
	}
	return 0;
}

/* Uevents were lost: asks the counters themselves. */
static int check_all(const struct cpu_hotplug *hotplug)
{
	struct int_list online = { 0 };
	int err = targets_online_cpus(&online);

	for (size_t i = 0; i < hotplug->n_cpus && !err; i++) {
		struct watched_cpu *cpu = &hotplug->cpus[i];

		if (!hotplug->counts_tasks && evlist_counts_cpu(hotplug->drain->evlist, cpu->cpu))
			continue;
		err = lose(hotplug, cpu);
		if (int_list_has(&online, cpu->cpu))
			cpu->presence = CPU_BACK;
	}
	int_list_deinit(&online);
	return err;
}

/* Reads the kernel's messages; messages that a process sends to the group do not count. */
static int read_uevents(const struct cpu_hotplug *hotplug)
{
	char uevent[UEVENT_MAX];
	struct sockaddr_nl from = { 0 };
	int err = 0;

	while (!err) {
		socklen_t from_size = sizeof(from);
		ssize_t n = recvfrom(hotplug->uevents_fd, uevent, sizeof(uevent) - 1, 0,
				     (struct sockaddr *)&from, &from_size);

		if (n < 0 && errno == ENOBUFS)
			return check_all(hotplug);
		if (n < 0)
			return 0;
		uevent[n] = '\0';
		if (from_size == sizeof(from) && from.nl_pid == 0)
			err = cpu_hotplug_take_uevent(hotplug, uevent);
	}
	return err;
}

/* A look at /proc that is under way begins again: it may have passed threads that were missed
 * since. */
static int begin_look(struct cpu_hotplug *hotplug)
{
	synthesizer_destroy(steal_ptr(hotplug->synthesizer));
	int err = synthesizer_create(hotplug->synthesize, &hotplug->synthesizer);

	return err == -ENOMEM ? err : 0;
}

static int reopen(struct cpu_hotplug *hotplug, struct watched_cpu *cpu)
{
	int err = evlist_reopen_cpu(hotplug->drain->evlist, cpu->cpu);

	if (err == -EBUSY) /* records of its rings are still to be read */
		return 0;
	if (err == -ENODEV) /* offline again */
		return lose(hotplug, cpu);
	if (err) {
		recording_notes_add(hotplug->notes, false,
				    "CPU %d came back, but cannot be recorded again: %s.", cpu->cpu,
				    strerror(-err));
		return lose(hotplug, cpu);
	}
	cpu->presence = CPU_RECORDED;
	if (hotplug->counts_tasks)
		return 0;
	err = write_window(hotplug, cpu, WINDOW_RECORD_CPU_BACK);
	return err ? err : begin_look(hotplug);
}

/* Describes the next process. */
static int look_on(struct cpu_hotplug *hotplug)
{
	int more = synthesizer_step(hotplug->synthesizer, present_ns(hotplug));

	if (more == 0)
		synthesizer_destroy(steal_ptr(hotplug->synthesizer));
	return more < 0 ? more : 0;
}

int cpu_hotplug_run(struct cpu_hotplug *hotplug)
{
	int err = hotplug->n_cpus ? read_uevents(hotplug) : 0;

	for (size_t i = 0; i < hotplug->n_cpus && !err; i++) {
		if (hotplug->cpus[i].presence == CPU_BACK)
			err = reopen(hotplug, &hotplug->cpus[i]);
	}
	return !err && hotplug->synthesizer ? look_on(hotplug) : err;
}

bool cpu_hotplug_is_busy(const struct cpu_hotplug *hotplug)
{
	for (size_t i = 0; i < hotplug->n_cpus; i++) {
		if (hotplug->cpus[i].presence == CPU_BACK)
			return true;
	}
	return hotplug->synthesizer;
}
