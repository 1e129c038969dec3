/* The completion scripts, which the build puts into the program (script_bytes.S). */
#ifndef COLLECTOR_COMPLETION_COMPLETION_SCRIPTS_H
#define COLLECTOR_COMPLETION_COMPLETION_SCRIPTS_H

/* Of "bash", "zsh", "fish"; static. NULL: there is none. */
const char *completion_script(const char *shell);

#endif
