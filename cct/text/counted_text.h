/* Text after a number, of which it may be one: "1 path contains", "2 paths contain". */
#ifndef CCT_TEXT_COUNTED_TEXT_H
#define CCT_TEXT_COUNTED_TEXT_H

#include <stdint.h>

#define COUNTED_TEXT_SIZE 160

/*
 * @text with "{path contains|paths contain}" replaced by the words before the bar if @count is 1,
 * and those after it otherwise. Braces and bars are for this alone. Returns @buffer; what does not
 * fit is left out.
 */
const char *counted_text(const char *text, uint64_t count, char buffer[static COUNTED_TEXT_SIZE]);

#endif
