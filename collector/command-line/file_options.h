/* Options of commands that read a recording: its path, and where to find its programs. */
#ifndef COLLECTOR_COMMAND_LINE_FILE_OPTIONS_H
#define COLLECTOR_COMMAND_LINE_FILE_OPTIONS_H

#include <stdbool.h>

#include "cct/object/file_search.h"
#include "cct/time/time_range.h"
#include "collector/command-line/options.h"

#define DEFAULT_RECORDING "dendro.data"
#define PERF_RECORDING    "perf.data" /* read where there is no other */

#define MOVED_SOURCES_MAX 16

/* A database of profiles, which is read instead of files. Texts are the command line's; NULL: not
 * given. */
struct db_connection; /* collector/database/db_connection.h */

struct db_options {
	const char *url;   /* NULL: files are read */
	const char *where; /* a condition, in SQL */
	const char *token_file, *ca_file;
	/* What is to be read, once times are parsed: since 1970. */
	struct time_span span;
	bool by_host; /* each host is a run */
	char *title;  /* of what is read, for headers; owned */
	/* Opened before rights are given up; NULL: not yet. */
	struct db_connection *connection;
	void (*close)(struct db_options *options); /* of ->connection; NULL: there is none */
};

struct file_options {
	struct db_options db;
	const char *symfs;     /* NULL: this machine */
	bool debuginfod;       /* may fetch missing files */
	bool asks_debuginfod;  /* by an option, not by the environment */
	unsigned debuginfod_s; /* the time limit for fetching all files */
	int server_fd;     /* of a process that opens files for this one; 0: it does so itself */
	bool keeps_rights; /* what parses program files keeps its rights */
	bool is_quiet;     /* the terminal does not show how far the reading has come */
	const char *moved[MOVED_SOURCES_MAX]; /* "FROM=TO": where to find source files */
	size_t n_moved;
};

/* DEFAULT_RECORDING, for a path that the command line need not have. */
extern const char file_options_default[];

/* For a const char *: the recording's path. */
extern const struct command_option input_option[];
/* For a struct file_options. */
extern const struct command_option symfs_option[], debuginfod_option[], source_path_option[];
extern const struct command_option sandbox_option[];
/* For a struct db_options. */
extern const struct command_option db_options[];

/*
 * Takes the recording's path from the operand after the first @n_before, if there is one; more
 * operands are wrong use. If the path is still file_options_default, and only perf's file exists,
 * it becomes that, with a note. 0, or an exit status after a message.
 */
int file_options_take_operand(const char *command, const struct parsed_line *parsed,
			      size_t n_before, const char **path);
/* Reads the environment: DENDRO_DEBUGINFOD=1 permits fetching if servers are set. */
void file_options_init(struct file_options *options);
/* Whether the environment names debuginfod servers. */
bool file_options_have_servers(void);
/* Permits as many open files as this process may have. */
void file_options_allow_many(void);
/* Creates the search for files. 0, or -errno after a message. @command: for the message. */
int file_options_open(const struct file_options *options, const char *command,
		      struct file_search **files_ret);

#endif
