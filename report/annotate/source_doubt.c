#include "report/annotate/source_doubt.h"

#include <sys/stat.h>

#include "cct/object/file_search.h"

static bool is_newer(const struct annotated_function *function, const struct source_file *file)
{
	struct stat program;

	return stat(function->module_path, &program) == 0 &&
	       (file->modified.tv_sec > program.st_mtim.tv_sec ||
		(file->modified.tv_sec == program.st_mtim.tv_sec &&
		 file->modified.tv_nsec > program.st_mtim.tv_nsec));
}

static bool is_after_recording(const struct annotation *annotation, const struct source_file *file)
{
	int64_t recorded = file_search_recorded(annotation->profile->modules.files);

	return recorded && file->modified.tv_sec > recorded;
}

const char *source_doubt(const struct annotation *annotation,
			 const struct annotated_function *function, const struct source_file *file)
{
	if (file->problem)
		return file->problem;
	if (is_newer(function, file))
		return "newer than the program: its lines may have moved";
	if (is_after_recording(annotation, file))
		return "newer than the recording: its lines may have moved";
	return NULL;
}
