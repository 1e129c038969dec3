/* Options of dendro record: the targets, the events, the time and the output. */
#ifndef COLLECTOR_COMMAND_LINE_RECORD_OPTIONS_H
#define COLLECTOR_COMMAND_LINE_RECORD_OPTIONS_H

#include "collector/command-line/options.h"
#include "collector/record/follow/follow_link.h"
#include "collector/record/recorder/recorder.h"

/* In which modes events count that do not name them. */
enum record_modes { MODES_ALL, MODES_USER, MODES_KERNEL };

struct record_arguments {
	const char *command;             /* "record", for messages */
	struct recorder_options options; /* its events are set when they are chosen */
	struct recorder_signals signals;
	struct event *events; /* of -e; owned */
	size_t n_events;
	enum record_modes modes;
	struct follow_subjects follow; /* FOLLOW_MAX have room; owned */
	bool is_profile; /* the output is a profile, because of its name; set by the check */
	bool no_sandbox; /* what parses program files keeps its rights */
	bool is_verbose, is_quiet;
};

/* For a struct record_arguments. */
extern const struct command_option record_options[];
/* Of these, what is recorded, which samples, and for how long. */
extern const struct command_option record_target_options[], record_sample_options[],
	record_time_options[];

/* The "take" of --event and --filter, for a struct record_arguments, and of --freq, for a uint64_t.
 */
int record_options_take_events(const struct option_use *use, void *field);
int record_options_take_filter(const struct option_use *use, void *field);
int record_options_take_frequency(const struct option_use *use, void *field);

/* @command: for messages. @argv: kept in the recording; borrowed. */
void record_arguments_init(struct record_arguments *arguments, const char *command, char **argv);
void record_arguments_deinit(struct record_arguments *arguments);
/*
 * Called after the options are parsed and the command is set: refuses options that cannot be
 * combined, and sets defaults for those that were not given. 0, or an exit status after a message.
 */
int record_arguments_check(struct record_arguments *arguments);
/* Called when the events are chosen: applies the modes to them. Tracepoints, probes and off-cpu are
 * what they are in any mode. */
void record_arguments_apply_modes(struct record_arguments *arguments);

#endif
