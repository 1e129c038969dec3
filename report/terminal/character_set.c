#include "report/terminal/character_set.h"

#include <langinfo.h>
#include <locale.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* As in setlocale(3): the first one that is set and not empty. */
static const char *locale_name(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *name = getenv(variables[i]);

		if (name && *name)
			return name;
	}
	return "C";
}

void character_set_take(void)
{
	const char *name = locale_name();

	/* Of any other character set, ASCII is written, as without a locale: libc would load code
	 * for it, which a static program can't. */
	if ((strcasestr(name, ".UTF-8") || strcasestr(name, ".utf8")) && !setlocale(LC_CTYPE, ""))
		setlocale(LC_CTYPE, "C.UTF-8");
}

bool character_set_is_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
