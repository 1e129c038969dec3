#include "report/branches/path_classes.h"

#define HOT_PERCENT 1

void path_sums_add(struct path_sums *sums, const struct branch_path *path)
{
	sums->n_paths++;
	sums->count += path->count;
	sums->n_instructions += path->n_instructions;
	sums->n_mispredicted += path->n_mispredicted;
}

enum path_class path_sums_class(const struct path_sums *sums, const struct path_sums *all)
{
	double part = (double)(all->n_mispredicted ? sums->n_mispredicted : sums->n_instructions);
	double whole = (double)(all->n_mispredicted ? all->n_mispredicted : all->n_instructions);

	if (part * 100 < whole * HOT_PERCENT)
		return PATH_COLD;
	return (double)sums->n_mispredicted * (double)all->n_instructions >
			       (double)all->n_mispredicted * (double)sums->n_instructions
		       ? PATH_DENSE
		       : PATH_SPARSE;
}

static bool is_part(const struct branch_path *path)
{
	return path->begin == PATH_FROM_INSIDE || path->end == PATH_TO_INSIDE;
}

enum path_class path_class_of(const struct path_classes *classes, const struct branch_path *path)
{
	struct path_sums sums = { 0 };

	path_sums_add(&sums, path);
	return is_part(path) ? PATH_PART : path_sums_class(&sums, &classes->all);
}

void path_classes_init(struct path_classes *classes, const struct branch_paths *paths)
{
	*classes = (struct path_classes){ 0 };
	for (uint32_t i = 0; i < paths->n_paths; i++)
		if (!is_part(&paths->paths[i]))
			path_sums_add(&classes->all, &paths->paths[i]);
	for (uint32_t i = 0; i < paths->n_paths; i++)
		path_sums_add(&classes->of[path_class_of(classes, &paths->paths[i])],
			      &paths->paths[i]);
}

const char *path_class_name(enum path_class class)
{
	static const char *const names[] = { "hot, dense", "hot, sparse", "cold", "part" };

	return names[class];
}
