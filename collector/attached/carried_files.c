#include "collector/attached/carried_files.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cct/base/cleanup.h"

int carried_files_take(const struct data_file *file, struct file_search *files)
{
	int err = 0;

	file_search_set_recorded(files, data_file_info(file)->modified);
	for (size_t i = 0; i < data_file_n_attachments(file) && !err; i++) {
		const struct data_file_attachment *attachment = data_file_attachment(file, i);

		if (attachment->kind != ATTACHMENT_FILE || !attachment->is_complete)
			continue;
		if (strcmp(attachment->key, CARRIED_ARCHIVE) == 0)
			file_search_set_complete(files);
		else
			err = file_search_carry(files, attachment->key, attachment->fd);
	}
	return err;
}

void carried_files_found_bytes(struct file_search *files, const char *key, const void *bytes,
			       size_t size)
{
	if (!file_search_keeps_found(files))
		return;
	_cleanup_close_ int fd = memfd_create("found", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, bytes, size) == (ssize_t)size)
		file_search_found(files, key, fd, NULL);
}
