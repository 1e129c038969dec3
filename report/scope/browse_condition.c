#include "report/scope/browse_condition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"

/* A regular expression that matches the whole name alone. Heap; NULL: out of memory. */
static char *quote_name(const char *name)
{
	char *text = malloc(2 * strlen(name) + 3), *to = text;

	if (!text)
		return NULL;
	*to++ = '^';
	for (; *name; name++) {
		if (strchr(".[]*^$()+?{}|\\", *name))
			*to++ = '\\';
		*to++ = *name;
	}
	*to++ = '$';
	*to = '\0';
	return text;
}

int browse_condition_init(struct browse_condition *condition, const char *text)
{
	char error[1];
	struct function_pattern pattern;

	if (condition->subject == BY_REGEX) {
		int err = function_pattern_init_regex(&pattern, text, error, sizeof(error));

		if (err)
			return err;
		function_pattern_deinit(&pattern);
	}
	condition->text = strdup(text);
	return condition->text ? 0 : -ENOMEM;
}

int browse_condition_copy(const struct browse_condition *condition,
			  struct browse_condition *copy_ret)
{
	struct browse_condition copy = *condition;

	copy.text = strdup(condition->text);
	if (!copy.text)
		return -ENOMEM;
	*copy_ret = copy;
	return 0;
}

void browse_condition_deinit(struct browse_condition *condition)
{
	free(condition->text);
	condition->text = NULL;
}

bool browse_condition_equal(const struct browse_condition *a, const struct browse_condition *b)
{
	return a->kind == b->kind && a->subject == b->subject && a->module_id == b->module_id &&
	       a->frame_kind == b->frame_kind && strcmp(a->text, b->text) == 0;
}

char *browse_condition_describe(const struct browse_condition *condition)
{
	const char *kind = condition_kind_name(condition->kind);

	if (condition->subject == BY_MODULE)
		return sentence("%s module %s", kind, condition->text);
	if (condition->subject == BY_REGEX)
		return sentence("%s %s", kind, condition->text);
	_cleanup_free_ char *quoted = quote_name(condition->text);
	return quoted ? sentence("%s %s", kind, quoted) : NULL;
}

static bool is_of_module(const struct browse_condition *condition, const struct fold_entity *entity)
{
	const bool is_code = entity->frame_kind == FRAME_USER || entity->frame_kind == FRAME_KERNEL;

	return is_code && entity->module_id == condition->module_id &&
	       (entity->module_id || entity->frame_kind == condition->frame_kind);
}

/* The names that a regular expression would be compared with. */
static bool has_name(const struct function_names *names, const char *name)
{
	return strcmp(names->whole, name) == 0 || strcmp(names->shown, name) == 0 ||
	       (names->symbol && strcmp(names->symbol, name) == 0);
}

/* @names: NULL: BY_MODULE. @pattern: BY_REGEX */
static bool meets(const struct browse_condition *condition, const struct function_pattern *pattern,
		  const struct fold_entity *entity, const struct function_names *names)
{
	if (!names)
		return is_of_module(condition, entity);
	if (!entity_is_code(entity))
		return false;
	return condition->subject == BY_NAME ? has_name(names, condition->text)
					     : function_pattern_matches(pattern, names);
}

static void meet(const struct browse_condition *condition, const struct function_pattern *pattern,
		 const struct refold_base *base, uint64_t bit, uint64_t *met)
{
	const struct fold *fold = base->fold;
	const struct function_names *names = condition->subject == BY_MODULE ? NULL : base->names;

	for (uint32_t i = 0; i < fold->n_entities; i++) {
		if (meets(condition, pattern, &fold->entities[i], names ? &names[i] : NULL))
			met[i] |= bit;
	}
}

int browse_condition_meet(const struct browse_condition *condition, struct refold_base *base,
			  uint64_t bit, uint64_t *met)
{
	char error[1];
	struct function_pattern pattern;
	int err = condition->subject == BY_MODULE ? 0 : refold_base_name(base);

	if (!err && condition->subject == BY_REGEX)
		err = function_pattern_init_regex(&pattern, condition->text, error, sizeof(error));
	if (err)
		return err;
	meet(condition, &pattern, base, bit, met);
	if (condition->subject == BY_REGEX)
		function_pattern_deinit(&pattern);
	return 0;
}
