/*
 * Options as perf spells them, for people who know perf: another spelling of an option of ours,
 * what dendro does anyway, or a sentence that names our way. docs/FROM-PERF.md has each of them.
 */
#ifndef COLLECTOR_COMMAND_LINE_PERF_OPTIONS_H
#define COLLECTOR_COMMAND_LINE_PERF_OPTIONS_H

#include "collector/command-line/options.h"

/* For command_line.of_perf. */
extern const struct command_option perf_options_of_record[];

/* For a struct path_selection: --symbols NAME,... and --max-stack N. */
int perf_options_take_symbols(const struct option_use *use, void *field);
int perf_options_take_max_stack(const struct option_use *use, void *field);

#endif
