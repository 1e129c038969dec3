/* What link_register calls through its PLT. */
#include "link_register_library.h"

void library_call(void (*function)(unsigned), unsigned n)
{
	function(n);
	__asm__ volatile("" ::: "memory");
}

unsigned library_add(unsigned a, unsigned b)
{
	return a + b;
}
