#include "collector/record/start/host_features.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/model/module.h"
#include "cct/time/clock_moment.h"
#include "collector/paths/kernel_build_id.h"
#include "collector/record/observers/kernel_modules.h"
#include "perf/file/feature_bytes.h"
#include "perf/records/record.h"
#include "perf/writer/tracing_data.h"

/* tools/perf/util/header.h */
enum {
	HEADER_BUILD_ID = 2,
	HEADER_HOSTNAME = 3,
	HEADER_OSRELEASE = 4,
	HEADER_VERSION = 5,
	HEADER_ARCH = 6,
	HEADER_NRCPUS = 7,
	HEADER_CPUDESC = 8,
	HEADER_CPUID = 9,
	HEADER_TOTAL_MEM = 10,
	HEADER_CMDLINE = 11,
	HEADER_CLOCKID = 23,
	HEADER_CLOCK_DATA = 29,
};

/* Takes over @bytes. */
static int add(struct host_features *features, uint32_t number, struct feature_bytes *bytes)
{
	if (bytes->failed) {
		free(bytes->start);
		return -ENOMEM;
	}
	features->list[features->n++] = (struct data_writer_feature){
		.number = number,
		.bytes = bytes->start,
		.size = bytes->size,
	};
	return 0;
}

static int add_string(struct host_features *features, uint32_t number, const char *text)
{
	struct feature_bytes bytes = { 0 };

	if (!text[0])
		return 0;
	feature_bytes_add_string(&bytes, text);
	return add(features, number, &bytes);
}

static int add_u64(struct host_features *features, uint32_t number, uint64_t value)
{
	struct feature_bytes bytes = { 0 };

	feature_bytes_add_u64(&bytes, value);
	return add(features, number, &bytes);
}

static int add_cpus(struct host_features *features)
{
	struct feature_bytes bytes = { 0 };

	feature_bytes_add_u32(&bytes, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	feature_bytes_add_u32(&bytes, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	return add(features, HEADER_NRCPUS, &bytes);
}

static int add_command_line(struct host_features *features, char **argv)
{
	struct feature_bytes bytes = { 0 };
	uint32_t n = 0;

	while (argv[n])
		n++;
	feature_bytes_add_u32(&bytes, n + 1);
	feature_bytes_add_string(&bytes, "dendro");
	for (uint32_t i = 0; i < n; i++)
		feature_bytes_add_string(&bytes, argv[i]);
	return add(features, HEADER_CMDLINE, &bytes);
}

/* "name : value" of /proc/cpuinfo's first processor. */
struct cpuinfo {
	char vendor[64], family[64], model[64], stepping[64], name[256];
};

static void take_field(const char *line, const char *name, char *value, size_t size)
{
	size_t name_size = strlen(name);
	const char *colon = strchr(line, ':');

	if (value[0] || !colon || strncmp(line, name, name_size) != 0 ||
	    !strchr(" \t:", line[name_size]))
		return;
	snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " "));
	value[strcspn(value, "\n")] = '\0';
}

static void read_cpuinfo(struct cpuinfo *info)
{
	char line[1024];

	memset(info, 0, sizeof(*info));
	FILE *file = fopen("/proc/cpuinfo", "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file) && line[0] != '\n') {
		take_field(line, "vendor_id", info->vendor, sizeof(info->vendor));
		take_field(line, "cpu family", info->family, sizeof(info->family));
		take_field(line, "model", info->model, sizeof(info->model));
		take_field(line, "stepping", info->stepping, sizeof(info->stepping));
		take_field(line, "model name", info->name, sizeof(info->name));
		take_field(line, "CPU implementer", info->vendor, sizeof(info->vendor));
		take_field(line, "CPU part", info->model, sizeof(info->model));
	}
	fclose(file);
}

static int add_cpu(struct host_features *features)
{
	struct cpuinfo info;
	char id[300] = "";

	read_cpuinfo(&info);
	if (info.vendor[0])
		snprintf(id, sizeof(id), "%s,%s,%s,%s", info.vendor, info.family, info.model,
			 info.stepping);
	int err = add_string(features, HEADER_CPUDESC, info.name);
	return err ? err : add_string(features, HEADER_CPUID, id);
}

/* The times of both clocks at one moment, so that readers can show wall clock time. */
static int add_clock(struct host_features *features, int clock_id)
{
	struct feature_bytes bytes = { 0 };
	struct clock_moment moment;
	struct timespec resolution;

	if (clock_id < 0 || clock_getres(clock_id, &resolution) != 0 ||
	    clock_moment_read(clock_id, &moment))
		return 0;
	feature_bytes_add_u32(&bytes, 1);
	feature_bytes_add_u32(&bytes, (uint32_t)clock_id);
	feature_bytes_add_u64(&bytes, moment.unix_ns);
	feature_bytes_add_u64(&bytes, moment.now_ns);
	int err = add(features, HEADER_CLOCK_DATA, &bytes);
	return err ? err
		   : add_u64(features, HEADER_CLOCKID,
			     resolution.tv_sec * NSEC_PER_SEC + resolution.tv_nsec);
}

static void add_build_id(struct feature_bytes *bytes, uint16_t cpu_mode,
			 const struct build_id *build_id, const char *name)
{
	feature_bytes_add_build_id(bytes, cpu_mode, build_id->bytes, build_id->size, name);
}

static void add_vdso(struct feature_bytes *bytes, const struct vdso_image *vdso)
{
	if (vdso->build_id.size)
		add_build_id(bytes, PERF_RECORD_MISC_USER, &vdso->build_id, vdso->name);
}

/* Adds the build IDs of what the kernel brings: itself, its modules, and the vdsos. */
static int add_kernel_build_ids(struct host_features *features, const struct vdso_images *vdsos)
{
	struct kernel_modules_list modules = { 0 };
	struct feature_bytes bytes = { 0 };
	struct build_id build_id = { 0 };

	if (kernel_build_id(&build_id))
		add_build_id(&bytes, PERF_RECORD_MISC_KERNEL, &build_id, "[kernel.kallsyms]");
	int err = kernel_modules_read("/proc", &modules);
	for (size_t i = 0; i < modules.n; i++) {
		char name[KERNEL_MODULE_NAME_SIZE + 2];

		if (!kernel_module_build_id(modules.modules[i].name, &build_id))
			continue;
		snprintf(name, sizeof(name), "[%s]", modules.modules[i].name);
		add_build_id(&bytes, PERF_RECORD_MISC_KERNEL, &build_id, name);
	}
	free(modules.modules);
	add_vdso(&bytes, &vdsos->own);
	add_vdso(&bytes, &vdsos->low);
	if (err || !bytes.size) {
		free(bytes.start);
		return err;
	}
	return add(features, HEADER_BUILD_ID, &bytes);
}

int host_features_init(struct host_features *features, char **argv, const struct vdso_images *vdsos,
		       int clock_id)
{
	struct utsname host;
	struct sysinfo memory;

	features->n = 0;
	uname(&host);
	sysinfo(&memory);
	int err = add_kernel_build_ids(features, vdsos);
	if (!err)
		err = add_string(features, HEADER_HOSTNAME, host.nodename);
	if (!err)
		err = add_string(features, HEADER_OSRELEASE, host.release);
	if (!err)
		err = add_string(features, HEADER_VERSION, "dendro " DENDRO_VERSION);
	if (!err)
		err = add_string(features, HEADER_ARCH, host.machine);
	if (!err)
		err = add_cpus(features);
	if (!err)
		err = add_cpu(features);
	if (!err)
		err = add_u64(features, HEADER_TOTAL_MEM,
			      (uint64_t)memory.totalram * memory.mem_unit / 1024);
	if (!err)
		err = add_command_line(features, argv);
	return err ? err : add_clock(features, clock_id);
}

int host_features_add_tracepoints(struct host_features *features, const struct event *events,
				  size_t n_events)
{
	struct feature_bytes bytes;
	int err = tracing_data_make(events, n_events, &bytes);

	return err || !bytes.size ? err : add(features, HEADER_TRACING_DATA, &bytes);
}

void host_features_deinit(struct host_features *features)
{
	for (size_t i = 0; i < features->n; i++)
		free((void *)features->list[i].bytes);
	features->n = 0;
}
