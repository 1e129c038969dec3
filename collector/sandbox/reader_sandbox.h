/*
 * A command that reads recordings, and is run by somebody with privileges, gives up what it does
 * not need before it parses anything: it goes on with the files that its user has named, and the
 * process that keeps the rights, and parses nothing, opens program files and the result for it
 * (cct/object/file_server.h). What was open, it keeps.
 */
#ifndef COLLECTOR_SANDBOX_READER_SANDBOX_H
#define COLLECTOR_SANDBOX_READER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/command-line/file_options.h"

struct reader_needs {
	const char *const *inputs; /* "-" is standard input */
	size_t n_inputs;
	const char *vmlinux;      /* NULL: none */
	const char *result;       /* the file to write; NULL or "-": standard output */
	const char *written;      /* a folder for files; NULL: none */
	bool has_sources;         /* source files are read, wherever they are */
	bool decodes_code;        /* a disassembler is made */
	const char *keeps_rights; /* why nothing can be given up; NULL: it can */
};

/*
 * The caller has one thread, and opens no search for files before. Without privileges nothing
 * happens. What cannot be given up is said in a note, with the reason.
 */
void reader_sandbox_enter(const char *command, struct file_options *files,
			  const struct reader_needs *needs);

#endif
