/* dendro: runs the command that is named. */
#include "collector/command-line/messages.h"
#include "collector/commands/commands.h"
#include "collector/files/sigbus.h"

int main(int argc, char **argv)
{
	sigbus_install();
	int status = commands_run(argc, argv);
	/* Bytes that were read from a file that shrank in the meantime are unreliable. */
	if (!sigbus_n_pages())
		return status;
	message_error(NULL,
		      "a program or library was truncated while it was read, so names and callers "
		      "from it are missing. Run the command again.");
	return status ? status : 1;
}
