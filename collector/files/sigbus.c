#include "collector/files/sigbus.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Counted by the handler of SIGBUS, which nothing can be passed to. */
static atomic_uint n_pages;

static void on_sigbus(int signal, siginfo_t *info, void *context)
{
	uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *page = (void *)((uintptr_t)info->si_addr & ~(page_size - 1));

	(void)context;
	if (info->si_code == BUS_ADRERR &&
	    mmap(page, page_size, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
		    MAP_FAILED) {
		atomic_fetch_add(&n_pages, 1);
		return;
	}
	/* The faulting instruction runs again, and ends us. */
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigaction(signal, &action, NULL);
}

void sigbus_install(void)
{
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

unsigned sigbus_n_pages(void)
{
	return atomic_load(&n_pages);
}
