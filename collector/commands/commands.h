/* The subcommands: each parses its own options and returns the exit status. */
#ifndef COLLECTOR_COMMANDS_COMMANDS_H
#define COLLECTOR_COMMANDS_COMMANDS_H

int cmd_annotate(int argc, char **argv);
int cmd_archive(int argc, char **argv);
int cmd_debug_unwind(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_script(int argc, char **argv);

#endif
