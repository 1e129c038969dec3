#include "cct/merge/anonymous.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"

/* The names of one kind that were met, by whose numbers they are replaced. */
struct aliases {
	const char *kind; /* "command" */
	struct string_ids names;
};

struct anonymous {
	struct profile *profile;
	struct aliases commands, modules, sources, cgroups, values, phases, probes;
};

/* "command-3"; heap, NULL without memory. */
static char *alias_of(struct aliases *aliases, const char *name)
{
	uint32_t id;
	bool is_new;

	if (string_ids_add(&aliases->names, name, &id, &is_new))
		return NULL;
	return sentence("%s-%" PRIu32, aliases->kind, id + 1);
}

/* Replaces an owned text. 0 or -ENOMEM. */
static int replace(char **text, char *alias)
{
	if (!alias)
		return -ENOMEM;
	free(*text);
	*text = alias;
	return 0;
}

static int replace_name(struct aliases *aliases, char **name)
{
	return *name ? replace(name, alias_of(aliases, *name)) : 0;
}

static void forget(char **text)
{
	free(*text);
	*text = NULL;
}

typedef char *rename_function(struct anonymous *anonymous, const char *text);

/* Renames all strings of a table, whose numbers stay. */
static int rename_all(struct anonymous *anonymous, struct string_ids *ids, rename_function *rename)
{
	struct string_ids renamed = { 0 };
	int err = 0;

	for (uint32_t i = 0; i < ids->n_strings && !err; i++) {
		_cleanup_free_ char *text = rename(anonymous, ids->strings[i]);
		uint32_t id = 0;
		bool is_new = true;

		err = text ? string_ids_add(&renamed, text, &id, &is_new) : -ENOMEM;
		assert(err || (is_new && id == i)); /* aliases of different names differ */
	}
	string_ids_deinit(err ? &renamed : ids);
	if (!err)
		*ids = renamed;
	return err;
}

static char *rename_command(struct anonymous *anonymous, const char *name)
{
	return alias_of(&anonymous->commands, name);
}

static char *rename_cgroup(struct anonymous *anonymous, const char *path)
{
	return alias_of(&anonymous->cgroups, path);
}

/* "[woken by NAME/TID]" */
static char *rename_waker(struct anonymous *anonymous, const char *text)
{
	static const char start[] = "[woken by ";
	const char *slash = strrchr(text, '/');

	if (strncmp(text, start, sizeof(start) - 1) != 0 || !slash)
		return strdup(text);
	_cleanup_free_ char *name =
		strndup(text + sizeof(start) - 1, (size_t)(slash - text) - (sizeof(start) - 1));
	_cleanup_free_ char *alias = name ? alias_of(&anonymous->commands, name) : NULL;
	return alias ? sentence("%s%s%s", start, alias, slash) : NULL;
}

/* "[kind = VALUE]"; a number stays. */
static char *rename_value(struct anonymous *anonymous, const char *text)
{
	const char *equals = strstr(text, " = ");

	if (!equals || equals[3 + strspn(equals + 3, "-0123456789.xabcdef")] == ']')
		return strdup(text);
	_cleanup_free_ char *alias = alias_of(&anonymous->values, text);
	return alias ? sentence("%.*s = %s]", (int)(equals - text), text, alias) : NULL;
}

static bool begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* A library that comes with the system, by the name that all have. */
static bool is_of_system(const char *path)
{
	const char *name = strrchr(path, '/');

	return (begins(path, "/usr/lib") || begins(path, "/lib")) && name && strstr(name, ".so");
}

static int rename_module(struct anonymous *anonymous, struct module *module)
{
	char *path = (char *)module->key.path;
	bool is_path = path[0] == '/' && path[1] != '/';

	if (module->key.kind == MODULE_VDSO || path[0] == '[' || !is_path)
		return 0;
	if (module->key.kind == MODULE_KERNEL || is_of_system(path)) {
		const char *name = strrchr(path, '/') + 1;

		memmove(path, name, strlen(name) + 1);
		return 0;
	}
	int err = replace(&path, alias_of(&anonymous->modules, path));
	if (!err)
		module->key.path = path;
	return err;
}

static int rename_modules(struct anonymous *anonymous)
{
	const struct module_table *table = &anonymous->profile->modules;
	int err = 0;

	for (uint32_t i = 1; i < table->n_modules && !err; i++)
		err = rename_module(anonymous, table->modules[i]);
	return err;
}

static int rename_tasks(struct anonymous *anonymous)
{
	struct profile *profile = anonymous->profile;
	int err = 0;

	for (uint32_t i = 0; i < profile->n_processes && !err; i++)
		err = replace_name(&anonymous->commands, &profile->processes[i].name);
	for (uint32_t i = 0; i < profile->n_threads && !err; i++)
		err = replace_name(&anonymous->commands, &profile->threads[i].name);
	for (uint32_t i = 0; i < profile->phases.n && !err; i++)
		err = replace_name(&anonymous->phases, &profile->phases.phases[i].name);
	if (!err && profile->rows)
		err = rename_all(anonymous, &profile->rows->names, rename_command);
	return err;
}

/* Events on functions of programs have paths of these in their names. */
static int rename_probes(struct anonymous *anonymous)
{
	const struct profile *profile = anonymous->profile;
	int err = 0;

	for (uint32_t i = 0; i < profile->n_metrics && !err; i++) {
		char **name = &profile->metrics[i].name;

		if (strchr(*name, ':') && strstr(*name, ":/"))
			err = replace_name(&anonymous->probes, name);
	}
	return err;
}

/* Where source files are is taken out; which lines are of one file stays. */
static int rename_sources(struct anonymous *anonymous)
{
	struct stored_names *names = anonymous->profile->names;
	int err = 0;

	for (uint32_t i = 0; i < names->n_calls && !err; i++) {
		struct stored_call *call = &names->calls[i];
		uint32_t *files[] = { &call->file, &call->decl_file };

		call->directory = STORED_NO_TEXT;
		for (size_t k = 0; k < 2 && !err; k++) {
			const char *text = stored_names_text(names, *files[k]);
			_cleanup_free_ char *alias =
				text ? alias_of(&anonymous->sources, text) : NULL;

			if (text)
				err = alias ? stored_names_add_text(names, alias, files[k])
					    : -ENOMEM;
		}
	}
	return err;
}

/* The word with a path in it, as in "LazyCompile:~run /home/me/app.js:10". */
static char *without_path(struct anonymous *anonymous, const char *symbol)
{
	const char *slash = strchr(symbol, '/'), *start = slash;

	while (start > symbol && start[-1] != ' ')
		start--;
	_cleanup_free_ char *alias = alias_of(&anonymous->sources, start);
	return alias ? sentence("%.*s%s", (int)(start - symbol), symbol, alias) : NULL;
}

/* Code that was made at run time is named after the text that it was made of. */
static int rename_symbols(struct anonymous *anonymous)
{
	struct stored_names *names = anonymous->profile->names;
	int err = 0;

	for (uint32_t i = 0; i < names->n_codes && !err; i++) {
		struct stored_code *code = &names->codes[i];
		const struct module *module =
			module_table_get(&anonymous->profile->modules, code->module);
		const char *text = stored_names_text(names, code->symbol);

		if (!module || module->key.kind == MODULE_ELF ||
		    module->key.kind == MODULE_KERNEL || !text || !strchr(text, '/'))
			continue;
		_cleanup_free_ char *alias = without_path(anonymous, text);
		err = alias ? stored_names_add_text(names, alias, &code->symbol) : -ENOMEM;
	}
	for (uint32_t i = 0; i < names->n_lacks; i++)
		names->lacks[i].text = STORED_NO_TEXT;
	return err;
}

static int forget_info(struct profile *profile)
{
	struct profile_info *info = &profile->info;

	forget(&info->command_line);
	forget(&info->hostname);
	for (size_t i = 0; i < N_MARKERS; i++)
		forget(&info->why[i]);
	for (uint32_t i = 0; profile->rows && i < profile->rows->n_runs; i++) {
		forget(&profile->rows->runs[i].command_line);
		forget(&profile->rows->runs[i].hostname);
	}
	return info->truncated ? profile_set_string(&info->truncated, "its end is missing") : 0;
}

static int make(struct anonymous *anonymous)
{
	struct profile *profile = anonymous->profile;
	int err = rename_sources(anonymous);

	if (!err)
		err = rename_symbols(anonymous);
	if (!err)
		err = rename_modules(anonymous);
	if (!err)
		err = rename_tasks(anonymous);
	if (!err)
		err = rename_probes(anonymous);
	if (!err)
		err = rename_all(anonymous, &profile->cgroups, rename_cgroup);
	if (!err)
		err = rename_all(anonymous, &profile->wakers, rename_waker);
	if (!err)
		err = rename_all(anonymous, &profile->values, rename_value);
	return err ? err : forget_info(profile);
}

int anonymous_make(struct profile *profile)
{
	struct anonymous anonymous = {
		.profile = profile,
		.commands = { .kind = "command" },
		.modules = { .kind = "module" },
		.sources = { .kind = "source" },
		.cgroups = { .kind = "cgroup" },
		.values = { .kind = "value" },
		.phases = { .kind = "phase" },
		.probes = { .kind = "probe" },
	};
	struct aliases *all[] = { &anonymous.commands, &anonymous.modules, &anonymous.sources,
				  &anonymous.cgroups,  &anonymous.values,  &anonymous.phases,
				  &anonymous.probes };
	int err = make(&anonymous);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		string_ids_deinit(&all[i]->names);
	return err;
}
