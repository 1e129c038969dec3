/* Prints where memcpy() lies in the C library: that which the dynamic linker has chosen. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	Dl_info info;
	const void *chosen = dlsym(RTLD_DEFAULT, "memcpy");

	if (!chosen || !dladdr(chosen, &info))
		return 1;
	printf("%lx\n", (unsigned long)((uintptr_t)chosen - (uintptr_t)info.dli_fbase));
	return 0;
}
