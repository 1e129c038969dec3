/* What commands read: files, or what a database has (--from-db). */
#ifndef COLLECTOR_FLEET_FROM_DATABASE_H
#define COLLECTOR_FLEET_FROM_DATABASE_H

#include "collector/command-line/report_options.h"

/* After the command line was parsed: what is read is its operands, as
 * report_options_take_operands() takes them, or a database. 0, or an exit status after a message.
 */
int from_database_take(struct report_options *options, const struct parsed_line *parsed);
/* Opens the connection, while that may be done. Likewise. */
int from_database_connect(struct report_options *options, const char *title);
/* Whether a database has all that the options need. Likewise. */
int from_database_check(const struct report_options *options, const struct parsed_line *parsed);
/* A time that the user wrote, NULL for the default: @from_option: its name, for messages. Likewise.
 */
int from_database_find_time(const struct report_options *options, const char *from_option,
			    const char *from, const char *to, struct time_span *span_ret);
/* "https://HOST/, service = 'api', 2026-11-27 02:10:00 to ...", of a URL that was checked. Heap;
 * NULL: no memory. */
char *from_database_title(const char *url, const char *where, const struct time_span *span);

#endif
