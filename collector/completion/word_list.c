#include "collector/completion/word_list.h"

#include <string.h>

#include "cct/base/printable.h"

void word_list_offer(const struct word_list *list, const char *word, const char *description)
{
	if (strncmp(word, list->typed, strlen(list->typed)) != 0 || !printable_is_safe(word) ||
	    !printable_is_safe(list->prefix))
		return;
	fprintf(list->out, "%.*s%s\t", (int)list->prefix_size, list->prefix, word);
	for (; *description && *description != '\n'; description++)
		if ((unsigned char)*description >= ' ' && *description != '\x7f')
			putc(*description, list->out);
	putc('\n', list->out);
}
