#include "collector/sandbox/reader_sandbox.h"

#include <linux/capability.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cct/base/cleanup.h"
#include "collector/command-line/messages.h"
#include "collector/sandbox/parser_sandbox.h"
#include "collector/sandbox/sandbox.h"
#include "report/code/disassembly.h"

/* Files about this machine: its kernel, which packages have missing files, its CPUs and time. */
static const char *const of_machine[] = {
	"/proc/kallsyms",      "/proc/stat",      "/sys/devices/system/cpu",
	"/proc/self",          "/sys/kernel",     "/sys/module",
	"/etc/localtime",      "/etc/os-release", "/usr/lib/os-release",
	"/usr/share/zoneinfo", "/var/lib/dpkg",   "/usr/share/terminfo",
	"/lib/terminfo",       "/etc/terminfo",
};
#define N_OF_MACHINE (sizeof(of_machine) / sizeof(of_machine[0]))
#define N_OTHERS     3 /* vmlinux, symfs, sources */

static bool has_privileges(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return geteuid() == 0 || syscall(SYS_capget, &header, data) || data[0].effective ||
	       data[1].effective;
}

/* What may be read. The list is the caller's; NULL: out of memory. */
static const char **list_paths(const struct file_options *files, const struct reader_needs *needs,
			       size_t *n_ret)
{
	const char **paths = calloc(needs->n_inputs + N_OF_MACHINE + N_OTHERS, sizeof(*paths));
	size_t n = 0;

	if (!paths)
		return NULL;
	for (size_t i = 0; i < needs->n_inputs; i++)
		paths[n++] = needs->inputs[i];
	for (size_t i = 0; i < N_OF_MACHINE; i++)
		paths[n++] = of_machine[i];
	if (needs->vmlinux)
		paths[n++] = needs->vmlinux;
	if (files->symfs)
		paths[n++] = files->symfs;
	if (needs->has_sources)
		paths[n++] = "/";
	*n_ret = n;
	return paths;
}

/* NULL, or why not; what was started goes on. */
static const char *enter(const char *command, struct file_options *files,
			 const struct reader_needs *needs)
{
	struct file_search *search = NULL;
	size_t n = 0;
	_cleanup_free_ const char **paths = list_paths(files, needs, &n);
	const char *lacks;
	const bool has_result = needs->result && strcmp(needs->result, "-") != 0;

	if (!paths || file_options_open(files, command, &search))
		return "there is not enough memory";
	/* Who needs it and finds none says so. */
	if (needs->decodes_code)
		disassembly_prepare(&lacks);
	int err = has_result ? file_search_set_result(search, needs->result) : 0;
	if (!err)
		err = parser_sandbox_start_server(search, &files->server_fd);
	file_search_destroy(search);
	if (!err)
		err = sandbox_enter_reading(paths, n, needs->written);
	return err ? strerror(-err) : NULL;
}

void reader_sandbox_enter(const char *command, struct file_options *files,
			  const struct reader_needs *needs)
{
	if (files->keeps_rights || files->server_fd || !has_privileges())
		return;
	const char *reason = needs->keeps_rights;
	if (!reason && files->debuginfod)
		reason = "--debuginfod fetches files";
	if (!reason) {
		parser_sandbox_note_lacks(command);
		reason = enter(command, files, needs);
	}
	if (reason)
		message_note(command, "program files are read with all rights of this user: %s.",
			     reason);
}
