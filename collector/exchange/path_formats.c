#include "collector/exchange/path_formats.h"

#include <string.h>

#include "collector/exchange/perf_data.h"
#include "collector/exchange/verify_perf_data.h"
#include "report/export/folded.h"
#include "report/feedback/bolt_profile.h"
#include "report/feedback/clang_profile.h"
#include "report/feedback/gcc_profile.h"
#include "report/feedback/verify_bolt_profile.h"
#include "report/feedback/verify_gcc_profile.h"
#include "report/formats/callgrind.h"
#include "report/formats/chrome_trace.h"
#include "report/formats/firefox.h"
#include "report/formats/otlp.h"
#include "report/formats/speedscope.h"
#include "report/formats/sqlite.h"
#include "report/pprof/pprof.h"
#include "report/verify/verify_callgrind.h"
#include "report/verify/verify_chrome_trace.h"
#include "report/verify/verify_clang_profile.h"
#include "report/verify/verify_firefox.h"
#include "report/verify/verify_folded.h"
#include "report/verify/verify_otlp.h"
#include "report/verify/verify_pprof.h"
#include "report/verify/verify_speedscope.h"
#include "report/verify/verify_sqlite.h"

const struct path_format path_formats[] = {
	{ .name = "pprof",
	  .description = "a profile that go tool pprof and others read",
	  .is_binary = true,
	  .has_lines = true,
	  .write = pprof_write,
	  .verify = verify_pprof },
	{ .name = "folded",
	  .description = "a line of text for each path, for flame graphs",
	  .has_one_metric = true,
	  .write = folded_write,
	  .verify = verify_folded },
	{ .name = "speedscope",
	  .description = "a profile for speedscope, the web application",
	  .rows = ROWS_WANTED,
	  .has_lines = true,
	  .write = speedscope_write,
	  .verify = verify_speedscope },
	{ .name = "callgrind",
	  .description = "a call graph with lines, for KCachegrind and callgrind_annotate",
	  .has_lines = true,
	  .write = callgrind_write,
	  .verify = verify_callgrind },
	{ .name = "firefox",
	  .description = "threads over time, for Firefox Profiler, the web application",
	  .rows = ROWS_WITH_TIMES,
	  .has_lines = true,
	  .write = firefox_write,
	  .verify = verify_firefox },
	{ .name = "chrome",
	  .description = "a trace of Chrome's format, for Perfetto and others",
	  .rows = ROWS_WITH_TIMES,
	  .write = chrome_trace_write,
	  .verify = verify_chrome_trace },
	{ .name = "perf.data",
	  .description = "a recording with callchains, for perf, hotspot and others",
	  .rows = ROWS_WANTED,
	  .is_binary = true,
	  .write = perf_data_write,
	  .verify = verify_perf_data },
	{ .name = "sqlite",
	  .description = "a database with the samples, to be asked in SQL",
	  .rows = ROWS_WANTED,
	  .is_binary = true,
	  .has_lines = true,
	  .makes_files = true,
	  .lacks = sqlite_lacks,
	  .write = sqlite_write,
	  .verify = verify_sqlite },
	{ .name = "otlp",
	  .description = "profiles of OpenTelemetry's protocol, which is experimental",
	  .rows = ROWS_WANTED,
	  .is_binary = true,
	  .has_lines = true,
	  .write = otlp_write,
	  .verify = verify_otlp },
	{ .name = "clang-profile",
	  .description = "a sample profile for clang -fprofile-sample-use, to optimize a program "
			 "by its runs",
	  .has_lines = true,
	  .has_one_metric = true,
	  .is_for_compilers = true,
	  .write = clang_profile_write,
	  .verify = verify_clang_profile },
	{ .name = "clang-context-profile",
	  .description = "the same with counts for each calling context",
	  .has_lines = true,
	  .has_one_metric = true,
	  .is_for_compilers = true,
	  .write = clang_context_profile_write,
	  .verify = verify_clang_profile },
	{ .name = "gcc-profile",
	  .description = "a sample profile for gcc -fauto-profile, likewise",
	  .is_binary = true,
	  .has_lines = true,
	  .has_one_metric = true,
	  .is_for_compilers = true,
	  .write = gcc_profile_write,
	  .verify = verify_gcc_profile },
	{ .name = "bolt",
	  .description = "a profile of one program or library for BOLT, llvm-bolt -data",
	  .has_one_metric = true,
	  .is_for_compilers = true,
	  .write = bolt_profile_write,
	  .verify = verify_bolt_profile },
	{ 0 },
};

const struct path_format *path_formats_find(const char *name)
{
	for (const struct path_format *format = path_formats; format->name; format++) {
		if (strcmp(format->name, name) == 0)
			return format;
	}
	return NULL;
}

static bool is_any(const struct path_format *format)
{
	return format->name;
}

static bool is_verified(const struct path_format *format)
{
	return format->verify;
}

/* "pprof, folded or otlp": of those that @has is true of. */
static char *list_names(bool (*has)(const struct path_format *))
{
	char *names = NULL;
	size_t size;
	FILE *out = open_memstream(&names, &size);

	if (!out)
		return NULL;
	const struct path_format *before = NULL, *last = NULL;

	for (const struct path_format *format = path_formats; format->name; format++)
		last = has(format) ? format : last;
	for (const struct path_format *format = path_formats; format->name; format++) {
		if (!has(format))
			continue;
		fprintf(out, "%s%s", !before ? "" : format == last ? " or " : ", ", format->name);
		before = format;
	}
	return fclose(out) ? NULL : names;
}

char *path_formats_names(void)
{
	return list_names(is_any);
}

char *path_formats_verified(void)
{
	return list_names(is_verified);
}

char *path_formats_list(void)
{
	char *list = NULL;
	size_t size;
	FILE *out = open_memstream(&list, &size);

	if (!out)
		return NULL;
	for (const struct path_format *format = path_formats; format->name; format++)
		fprintf(out, "%s%s: %s", format == path_formats ? "" : "\n", format->name,
			format->description);
	return fclose(out) ? NULL : list;
}
