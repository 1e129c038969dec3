#include "cct/model/located_file.h"

#include <stdlib.h>
#include <unistd.h>

void located_file_init(struct located_file *file, struct file_search *files)
{
	*file = (struct located_file){ .image_fd = -1, .files = files };
}

void located_file_deinit(struct located_file *file)
{
	if (file->image_fd >= 0)
		close(file->image_fd);
	free(file->alternative_path);
	free(file->root);
	located_file_init(file, NULL);
}
