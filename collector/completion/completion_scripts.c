#include "collector/completion/completion_scripts.h"

#include <stddef.h>
#include <string.h>

extern const char completion_bash[], completion_zsh[], completion_fish[];

const char *completion_script(const char *shell)
{
	if (strcmp(shell, "bash") == 0)
		return completion_bash;
	if (strcmp(shell, "zsh") == 0)
		return completion_zsh;
	return strcmp(shell, "fish") == 0 ? completion_fish : NULL;
}
