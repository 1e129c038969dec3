#include "collector/record/control/named_fifo.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cct/base/cleanup.h"

/* Whoever may write to the FIFO can also take lines out of it. */
#define FIFO_MODE 0600

static int refuse(const char *option, const char *path, struct recording_notes *notes, int err)
{
	return recording_notes_explain(notes, err, "%s: cannot open '%s': %s.", option, path,
				       strerror(-err));
}

static int refuse_file(const char *option, const char *path, struct recording_notes *notes)
{
	return recording_notes_explain(notes, -EEXIST, "%s: '%s' exists, and is not a FIFO.",
				       option, path);
}

int named_fifo_open(struct named_fifo *fifo, const char *option, const char *path,
		    struct recording_notes *notes)
{
	struct stat st;

	*fifo = (struct named_fifo){ .path = path, .fd = -1 };
	fifo->is_ours = mkfifo(path, FIFO_MODE) == 0;
	if (!fifo->is_ours && errno != EEXIST)
		return refuse(option, path, notes, -errno);
	/* What is not a FIFO is not even opened. */
	if (stat(path, &st) < 0)
		return refuse(option, path, notes, -errno);
	if (!S_ISFIFO(st.st_mode))
		return refuse_file(option, path, notes);
	/* The recorder has both ends: others may come and go without an end of file. */
	fifo->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fifo->fd < 0 || fstat(fifo->fd, &st) < 0)
		return refuse(option, path, notes, -errno);
	if (!S_ISFIFO(st.st_mode))
		return refuse_file(option, path, notes);
	fifo->device = st.st_dev;
	fifo->inode = st.st_ino;
	return 0;
}

void named_fifo_close(struct named_fifo *fifo)
{
	struct stat st;

	if (fifo->is_ours && stat(fifo->path, &st) == 0 && st.st_dev == fifo->device &&
	    st.st_ino == fifo->inode)
		unlink(fifo->path);
	cleanup_close(&fifo->fd);
	*fifo = (struct named_fifo){ .fd = -1 };
}
