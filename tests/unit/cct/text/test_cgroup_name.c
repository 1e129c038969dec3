#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cct/text/cgroup_name.h"

#define ID    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SHORT "0123456789ab"

static void containers_and_units_have_the_names_people_know(void **state)
{
	static const struct {
		const char *path, *name; /* NULL: none */
	} cases[] = {
		{ "/", NULL },
		{ "", NULL },
		{ "[cgroup 17.service]", NULL },
		{ "/jobs/nightly", NULL },
		{ "/system.slice", "system.slice" },
		{ "/system.slice/ssh.service", "ssh.service" },
		{ "/system.slice/postgresql.service/worker", "postgresql.service" },
		{ "/user.slice/user-1000.slice/user@1000.service", "user@1000.service" },
		{ "/user.slice/user-1000.slice/session-2.scope", "session-2.scope" },
		{ "/.service", NULL },
		{ "/system.slice/docker-" ID ".scope", "docker-" SHORT },
		{ "/system.slice/docker-" ID ".scope/init.scope", "docker-" SHORT },
		{ "/system.slice/docker-short.scope", "docker-short.scope" },
		{ "/docker/" ID, "docker-" SHORT },
		{ "/other/" ID, NULL },
		{ "/machine.slice/libpod-" ID ".scope/container", "libpod-" SHORT },
		{ "/kubepods/burstable/pod12-34/" ID, "kubepods-" SHORT },
		{ "/kubepods.slice/kubepods-pod12.slice/cri-containerd-" ID ".scope",
		  "cri-containerd-" SHORT },
		{ "/kubepods.slice/kubepods-pod12.slice/crio-" ID ".scope", "crio-" SHORT },
		{ "/docker/" ID "/kubelet.slice/cri-containerd-" ID ".scope",
		  "cri-containerd-" SHORT },
		{ "/lxc.payload.web/system.slice/nginx.service", "web" },
		{ "/lxc.payload.", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char name[CGROUP_NAME_MAX] = "";

		if (cgroup_name(cases[i].path, name) != (cases[i].name != NULL) ||
		    (cases[i].name && strcmp(name, cases[i].name) != 0))
			fail_msg("%s: '%s'", cases[i].path, name);
	}
}

static void long_names_are_cut(void **state)
{
	char path[2000] = "/", name[CGROUP_NAME_MAX];

	(void)state;
	memset(path + 1, 'x', 1000);
	strcat(path, ".service");
	assert_true(cgroup_name(path, name));
	assert_int_equal(strlen(name), CGROUP_NAME_MAX - 1);
}

static void globs_are_about_the_path_or_the_name(void **state)
{
	(void)state;
	assert_true(cgroup_matches("ssh.service", "/system.slice/ssh.service"));
	assert_true(cgroup_matches("/system.slice/*", "/system.slice/ssh.service"));
	assert_true(cgroup_matches("*", "/"));
	assert_true(cgroup_matches("docker-0123*", "/docker/" ID));
	assert_false(cgroup_matches("ssh", "/system.slice/ssh.service"));
	assert_false(cgroup_matches("system.slice", "/system.slice/ssh.service"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(containers_and_units_have_the_names_people_know),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(globs_are_about_the_path_or_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
