/* The command line of dendro script. */
#ifndef COLLECTOR_SCRIPT_SCRIPT_OPTIONS_H
#define COLLECTOR_SCRIPT_SCRIPT_OPTIONS_H

#include "collector/command-line/file_options.h"
#include "collector/command-line/filter_options.h"
#include "collector/command-line/options.h"
#include "report/names/symbolize.h"
#include "report/selection/path_selection.h"

struct script_options {
	const char *path;
	struct filter_options filter;
	struct file_options files;
	struct path_selection selection;
	enum symbol_names names;
	unsigned fields;
	bool has_no_callers, has_ns;
};

extern const struct command_line script_line;

#endif
