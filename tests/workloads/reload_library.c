/* One of reload's libraries; built twice, with NAME=alpha and NAME=gamma. */
#include "work.h"

#define PASTE(a, b)    a##b
#define FUNCTION_OF(a) PASTE(a, _work)
#define INNER_OF(a)    PASTE(a, _inner)

void FUNCTION_OF(NAME)(unsigned n);

static FUNCTION void INNER_OF(NAME)(unsigned n)
{
	units(n);
}

void FUNCTION_OF(NAME)(unsigned n)
{
	INNER_OF(NAME)(n);
	KEEP_FRAME();
}
