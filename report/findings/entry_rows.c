#include "report/findings/entry_rows.h"

#include <string.h>

#define LIBC_START "__libc_start_" /* main, call_main, main_impl, main@@GLIBC_2.34 */

static const char *const entry_names[] = {
	"_start",
	"_start_c",
	"_rt0_amd64_linux",
	"__clone",
	"__clone3",
	"__libc_init",
	"__pthread_start(void*)",
	"__start_thread",
	"clone",
	"clone3",
	"execute_native_thread_routine",
	"generic_start_main",
	"kthread",
	"libc_start_main_stage2",
	"ret_from_fork",
	"ret_from_fork_asm",
	"runtime.goexit",
	"runtime.goexit.abi0",
	"runtime.main",
	"runtime.mstart",
	"runtime.mstart.abi0",
	"runtime.mstart0",
	"runtime.mstart1",
	"runtime.rt0_go.abi0",
	"start_thread",
};
static const char *const c_libraries[] = { "libc.so", "libc-2.", "libpthread", "ld-musl-" };

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* "libc.so.6+0x1234" */
static bool is_unnamed(const struct view_row *row)
{
	size_t size = strlen(row->module);

	return size && strncmp(row->name, row->module, size) == 0 &&
	       begins_with(row->name + size, "+0x");
}

static bool is_in_c_library(const struct view_row *row)
{
	for (size_t i = 0; i < sizeof(c_libraries) / sizeof(c_libraries[0]); i++) {
		if (begins_with(row->module, c_libraries[i]))
			return true;
	}
	return false;
}

/* A stripped program has no name for _start, but the function that it calls is exported. */
static bool calls_libc_start(const struct view_row *row)
{
	for (const struct view_row *child = row->children; child; child = child->next) {
		if (begins_with(child->name, LIBC_START))
			return true;
	}
	return false;
}

bool entry_row(const struct view_row *row)
{
	if (row->kind != ROW_USER && row->kind != ROW_KERNEL)
		return false;
	if (is_unnamed(row))
		return is_in_c_library(row) || calls_libc_start(row);
	for (size_t i = 0; i < sizeof(entry_names) / sizeof(entry_names[0]); i++) {
		if (strcmp(row->name, entry_names[i]) == 0)
			return true;
	}
	return begins_with(row->name, LIBC_START);
}
