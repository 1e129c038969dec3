/*
 * A family of processes that works once the file "go" exists, and makes "done" at its end. All of
 * it is there before. family tree: the parent, a child, the child's child and, from "go" on, a late
 * child work for 1, 2, 3 and 4 parts, in turns and on one processor: one that changes its speed, or
 * is shared with another, does so for all. family storm: in each of 8 places a child works for a
 * while and is replaced by another at once; each prints its process ID and the units that it worked
 * since "go". Processes are named NAME-parent and so on, with NAME of at most four characters from
 * the command line, or fam: a test that chooses processes by name must not find another test's.
 */
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "one_processor.h"
#include "work.h"

#define N_TURNS     100
#define N_MEMBERS   4
#define N_PLACES    8
#define STORM_UNITS 200
#define STORM_S     1

static const char *family_name = "fam";

static bool has_begun(void)
{
	return access("go", F_OK) == 0;
}

static void wait_for_go(void)
{
	while (!has_begun())
		usleep(1000);
}

static sem_t *turns; /* of the members, shared by all */

static bool make_turns(void)
{
	turns = mmap(NULL, N_MEMBERS * sizeof(*turns), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (turns == MAP_FAILED)
		return false;
	for (unsigned i = 0; i < N_MEMBERS; i++)
		if (sem_init(&turns[i], 1, i == 0) != 0)
			return false;
	return true;
}

/* The member that works for @parts has the turn after the one with a part less. */
static void work_for(unsigned parts)
{
	for (unsigned i = 0; i < N_TURNS; i++) {
		while (sem_wait(&turns[parts - 1]) != 0)
			;
		for (unsigned j = 0; j < parts; j++)
			units(16 + (i * parts + j) * 37 % 64);
		sem_post(&turns[parts % N_MEMBERS]);
	}
}

static FUNCTION void parent_work(void)
{
	work_for(1);
	KEEP_FRAME();
}

static FUNCTION void child_work(void)
{
	work_for(2);
	KEEP_FRAME();
}

static FUNCTION void grandchild_work(void)
{
	work_for(3);
	KEEP_FRAME();
}

static FUNCTION void late_work(void)
{
	work_for(4);
	KEEP_FRAME();
}

static void be(const char *member)
{
	char name[16];

	snprintf(name, sizeof(name), "%s-%s", family_name, member);
	prctl(PR_SET_NAME, name);
}

/* The child of fork is that member. */
static bool fork_member(const char *member)
{
	pid_t pid = fork();

	if (pid < 0)
		exit(1);
	if (pid == 0)
		be(member);
	return pid == 0;
}

static void wait_for_all(void)
{
	while (wait(NULL) > 0)
		;
}

static FUNCTION void run_child(void)
{
	if (fork_member("grandchild")) {
		wait_for_go();
		grandchild_work();
		exit(0);
	}
	wait_for_go();
	child_work();
	wait_for_all();
	exit(0);
}

static void run_tree(void)
{
	be("parent");
	stay_on_one_processor();
	if (fork_member("child"))
		run_child();
	wait_for_go();
	if (fork_member("late")) {
		late_work();
		exit(0);
	}
	parent_work();
	wait_for_all();
}

static void run_brief(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < STORM_UNITS; i++) {
		bool counts = has_begun();

		unit();
		n += counts;
	}
	printf("%d %u\n", (int)getpid(), n);
	exit(0);
}

static void run_storm(void)
{
	uint64_t end_ns = UINT64_MAX;

	be("parent");
	for (int i = 0; i < N_PLACES; i++)
		if (fork_member("brief"))
			run_brief();
	while (wait(NULL) > 0) {
		if (end_ns == UINT64_MAX && has_begun())
			end_ns = now_ns() + STORM_S * 1000000000ull;
		if (now_ns() < end_ns && fork_member("brief"))
			run_brief();
	}
}

static bool make_done(void)
{
	FILE *done = fopen("done", "we");

	return done && fclose(done) == 0;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (argc > 2)
		family_name = argv[2];
	if (strcmp(argv[1], "storm") == 0)
		run_storm();
	else if (make_turns())
		run_tree();
	else
		return 1;
	return make_done() ? 0 : 1;
}
