#include "collector/doctor/system_checks.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "collector/files/debuginfod.h"

#define DEFAULT_RATE      997
#define BYTES_PER_SAMPLE  250 /* docs/BENCHMARKS.md */
#define RING_KIB          2048
#define LITTLE_SPACE      (1ull << 30)
#define N_SYMBOLS_LOOKED  64
#define FDS_PER_CPU       16
#define LOCKDOWN_PATH     "/sys/kernel/security/lockdown"
#define MODULES_PATH      "/sys/kernel/security/lsm"
#define SECCOMP_FILTERING 2

/* The first line of a file without its end; "": there is none. */
static void first_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");

	*line = '\0';
	if (file && fgets(line, (int)size, file))
		line[strcspn(line, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* Whether one of the first symbols has an address. */
static bool shows_addresses(FILE *symbols)
{
	char line[256];
	bool has_any = false;

	for (int i = 0; i < N_SYMBOLS_LOOKED && !has_any && fgets(line, sizeof(line), symbols); i++)
		has_any = strtoull(line, NULL, 16) != 0;
	return has_any;
}

/* kernel/ksyms_common.c, kallsyms_show_value(): without CAP_SYSLOG, addresses are shown if
 * kptr_restrict is 0 and performance events of the kernel are permitted. */
static void add_hidden_names(struct diagnosis *diagnosis, const char *check)
{
	const struct perf_limits *limits = &diagnosis->limits;
	bool by_level = limits->kptr_restrict == 0;

	diagnosis_add(diagnosis, check, FINDING_LIMITED,
		      sentence("The kernel hides its addresses from this user (%s is %d), so its "
			       "frames have no names.",
			       by_level ? "kernel.perf_event_paranoid" : "kernel.kptr_restrict",
			       by_level ? limits->paranoid : limits->kptr_restrict),
		      by_level ? sentence("sysctl kernel.perf_event_paranoid=1")
			       : sentence("sysctl kernel.kptr_restrict=0"));
}

void check_kernel_names(struct diagnosis *diagnosis, const char *check)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	bool has_addresses = symbols && shows_addresses(symbols);

	if (symbols)
		fclose(symbols);
	if (has_addresses)
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("The kernel's functions have their names."), NULL);
	else if (!symbols)
		diagnosis_add(diagnosis, check, FINDING_LIMITED,
			      sentence("There is no /proc/kallsyms: kernel frames have no "
				       "names unless 'report --vmlinux FILE' is given."),
			      NULL);
	else
		add_hidden_names(diagnosis, check);
}

/* The value of Seccomp: in /proc/self/status; 0: none. */
static int seccomp_mode(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[256];
	int mode = 0;

	while (status && fgets(line, sizeof(line), status) &&
	       sscanf(line, "Seccomp: %d", &mode) != 1)
		;
	if (status)
		fclose(status);
	return mode;
}

void check_security(struct diagnosis *diagnosis, const char *check)
{
	char lockdown[128], modules[256];
	bool is_locked, is_filtered = seccomp_mode() == SECCOMP_FILTERING;

	first_line(LOCKDOWN_PATH, lockdown, sizeof(lockdown));
	first_line(MODULES_PATH, modules, sizeof(modules));
	is_locked = strstr(lockdown, "[confidentiality]");
	diagnosis_add(
		diagnosis, check,
		is_locked || diagnosis->limits.in_user_namespace ? FINDING_LIMITED : FINDING_YES,
		sentence("%s%sSecurity modules: %s.%s",
			 diagnosis->limits.in_user_namespace
				 ? "This is a container's or another user namespace, in which root "
				   "has no rights to record the machine. "
				 : "",
			 is_locked ? "The kernel is locked down (confidentiality), and refuses "
				     "tracepoints, probes and BPF. "
				   : "",
			 *modules ? modules : "not known, because securityfs is not mounted",
			 is_filtered ? " A seccomp filter is in force; the checks above show what "
				       "it leaves."
				     : ""),
		is_locked ? sentence("boot with lockdown=integrity, or without Secure Boot")
			  : NULL);
}

void check_sample_rate(struct diagnosis *diagnosis, const char *check)
{
	uint64_t max = diagnosis->limits.max_sample_rate;

	if (max >= DEFAULT_RATE)
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("At most %" PRIu64 " samples a second and CPU; the kernel "
				       "lowers this when samples take it too long.",
				       max),
			      NULL);
	else
		diagnosis_add(diagnosis, check, FINDING_LIMITED,
			      sentence("At most %" PRIu64 " samples a second and CPU, less than "
				       "the default of %d.",
				       max, DEFAULT_RATE),
			      sentence("sysctl kernel.perf_event_max_sample_rate=100000"));
}

void check_ring_memory(struct diagnosis *diagnosis, const char *check)
{
	const struct perf_limits *limits = &diagnosis->limits;
	uint64_t rlimit = limits->rlimit_memlock == UINT64_MAX ? 0 : limits->rlimit_memlock;
	uint64_t kib =
		(limits->mlock_bytes + rlimit / (limits->n_cpus ? limits->n_cpus : 1)) / 1024;

	if (limits->has_cap_ipc_lock || limits->paranoid < 0 ||
	    limits->rlimit_memlock == UINT64_MAX)
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("Rings can be as large as they need to be."), NULL);
	else if (kib >= RING_KIB)
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("Rings can have %" PRIu64 " KiB a CPU, enough for the "
				       "default rate.",
				       kib),
			      NULL);
	else
		diagnosis_add(diagnosis, check, FINDING_LIMITED,
			      sentence("Rings can have %" PRIu64 " KiB a CPU, so busy programs may "
				       "lose samples.",
				       kib),
			      sentence("sysctl kernel.perf_event_mlock_kb=65536"));
}

void check_open_files(struct diagnosis *diagnosis, const char *check)
{
	const struct perf_limits *limits = &diagnosis->limits;
	bool is_enough = limits->hard_max_fds >= (uint64_t)limits->n_cpus * FDS_PER_CPU;

	diagnosis_add(diagnosis, check, is_enough ? FINDING_YES : FINDING_LIMITED,
		      sentence("%" PRIu64 " files at once, for %u CPUs; each event takes one a "
			       "CPU, and of processes that run already one a thread.",
			       limits->hard_max_fds, limits->n_cpus),
		      is_enough ? NULL : sentence("ulimit -Hn 65536"));
}

void check_free_space(struct diagnosis *diagnosis, const char *check)
{
	struct statvfs here;
	uint64_t n_cpus = diagnosis->limits.n_cpus ? diagnosis->limits.n_cpus : 1;

	if (statvfs(".", &here)) {
		diagnosis_add(diagnosis, check, FINDING_LIMITED,
			      sentence("The file system of this folder can't be asked."), NULL);
		return;
	}
	uint64_t free_bytes = (uint64_t)here.f_bavail * here.f_frsize;
	uint64_t hours = free_bytes / (n_cpus * DEFAULT_RATE * BYTES_PER_SAMPLE * 3600);
	bool is_little = free_bytes < LITTLE_SPACE;
	diagnosis_add(diagnosis, check, is_little ? FINDING_LIMITED : FINDING_YES,
		      sentence("%" PRIu64 " MiB in this folder, enough for about %" PRIu64
			       " hours of all CPUs at the default rate.",
			       free_bytes >> 20, hours),
		      is_little ? sentence("dendro record -o FILE on another disk, or -o FILE.cct, "
					   "a hundredth of the size")
				: NULL);
}

void check_debuginfod(struct diagnosis *diagnosis, const char *check)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!debuginfod_is_here())
		diagnosis_add(diagnosis, check, FINDING_NO,
			      sentence("'report --debuginfod' needs libdebuginfod.so.1 or the "
				       "program debuginfod-find; neither is installed."),
			      sentence("apt install debuginfod"));
	else if (!urls || !*urls)
		diagnosis_add(diagnosis, check, FINDING_NO,
			      sentence("DEBUGINFOD_URLS names no server, so 'report --debuginfod' "
				       "fetches nothing."),
			      sentence("export DEBUGINFOD_URLS=URL, the server of your "
				       "distribution"));
	else
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("'report --debuginfod' asks %s.", urls), NULL);
}

/* Which files there are: "/etc/dendro.conf, /root/.config/dendro.conf"; NULL: no memory. */
static char *name_files(const struct configuration *configuration, size_t *n_settings)
{
	char *names = strdup("");

	*n_settings = 0;
	for (size_t i = 0; names && i < CONFIGURATION_N_SOURCES; i++) {
		const struct configuration_file *file = &configuration->files[i];
		_cleanup_free_ char *before = names;

		names = !file->path ? strdup(before)
				    : sentence("%s%s%s%s%s%s", before, *before ? ", " : "",
					       file->path, file->left_out ? " (left out: " : "",
					       file->left_out ? file->left_out : "",
					       file->left_out ? ")" : "");
		*n_settings += file->n_settings;
	}
	return names;
}

void check_settings(struct diagnosis *diagnosis, const char *check)
{
	const struct configuration *configuration = diagnosis->configuration;
	size_t n_settings;
	_cleanup_free_ char *names = name_files(configuration, &n_settings);

	if (configuration->wrong)
		diagnosis_add(diagnosis, check, FINDING_NO,
			      sentence("Commands refuse to run: %s", configuration->wrong),
			      sentence("edit that file, or set " CONFIGURATION_VARIABLE
				       "= to read no file"));
	else if (!names || (!n_settings && !strchr(names, '(')))
		diagnosis_add(diagnosis, check, FINDING_YES,
			      names ? sentence("No file has settings; dendro.conf(5) describes "
					       "them.")
				    : NULL,
			      NULL);
	else
		diagnosis_add(diagnosis, check, FINDING_YES,
			      sentence("%zu settings, of %s.", n_settings, names), NULL);
}
