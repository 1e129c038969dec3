/* dendro version: which dendro this is, and what it was built with. */
#include <dlfcn.h>
#include <elfutils/version.h>
#include <errno.h>
#include <libdeflate.h>
#include <lzma.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "cct/base/cleanup.h"
#include "collector/command-line/messages.h"
#include "collector/command-line/option_values.h"
#include "collector/commands/commands.h"
#include "collector/push/send_program.h"
#include "report/browse/browse_screen.h"
#include "report/formats/sqlite.h"

struct version_options {
	int has_build_options;
};

static const struct command_option options_of_version[] = {
	{ .name = "build-options",
	  .not_a_setting = "version reads no settings",
	  .help = "show, too, what it was built with: the compiler, libraries, and what was left "
		  "out because they were missing",
	  .take = option_take_constant,
	  .constant = 1,
	  .offset = offsetof(struct version_options, has_build_options) },
	{ 0 },
};

const struct command_line version_line = {
	.command = "version",
	.synopsis = "[OPTIONS]",
	.description = "Shows the version of dendro.",
	.options = options_of_version,
};

static const char *architecture(void)
{
#if defined(__x86_64__)
	return "x86_64";
#else
	return "arm64";
#endif
}

static const char *compiler(void)
{
#if defined(__clang__)
	return __VERSION__; /* begins with "Clang" */
#else
	return "gcc " __VERSION__;
#endif
}

static const char *sanitizers(void)
{
#if defined(__SANITIZE_ADDRESS__)
	return "address";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
	return "address";
#endif
#endif
	return "none";
}

/* A static program gives no handle of itself (collector/static_program.c). */
static bool loads_libraries(void)
{
	void *self = dlopen(NULL, RTLD_LAZY);

	if (self)
		dlclose(self);
	return self;
}

static void print_build_options(void)
{
	const bool is_shared = loads_libraries();

	printf("architecture  %s\n", architecture());
	printf("compiler      %s\n", compiler());
	printf("sanitizers    %s\n", sanitizers());
	printf("linked        %s\n", is_shared ? "with shared libraries" : "statically");
	printf("libraries     elfutils %d.%d, libdeflate %s, liblzma %s, zlib %s, zstd %s\n",
	       _ELFUTILS_VERSION / 1000, _ELFUTILS_VERSION % 1000, LIBDEFLATE_VERSION_STRING,
	       lzma_version_string(), zlibVersion(), ZSTD_versionString());
	printf("browse        %s\n",
	       browse_screen_is_there() ? "yes" : "no: built without ncurses");
	printf("sqlite        %s\n", sqlite_lacks() ? "no: built without libsqlite3" : "yes");
	_cleanup_free_ char *sender = send_program_find();
	printf("push          %s\n", sender ? "yes, by dendro-send" : "no: without dendro-send");
	printf("debuginfod    %s\n",
	       is_shared ? "by libdebuginfod.so.1 or debuginfod-find" : "by debuginfod-find");
}

int cmd_version(int argc, char **argv, struct configuration *configuration)
{
	struct version_options options = { 0 };
	struct parsed_line parsed =
		options_parse(&version_line, configuration, argc, argv, &options);

	if (parsed.is_done)
		return parsed.status;
	if (parsed.n_operands)
		return message_wrong_use("version", "unexpected '%s'.", parsed.operands[0]);
	printf("dendro %s\n", DENDRO_VERSION);
	if (options.has_build_options)
		print_build_options();
	if (fflush(stdout) && errno != EPIPE)
		return message_error("version", "cannot write: %s.", strerror(errno));
	return 0;
}
