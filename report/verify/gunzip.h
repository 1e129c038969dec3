/* Expands gzip (RFC 1952, by zlib) of which nothing is known to be right. */
#ifndef REPORT_VERIFY_GUNZIP_H
#define REPORT_VERIFY_GUNZIP_H

#include "report/verify/verification.h"

#define GUNZIP_MAX (256u << 20) /* a small file may claim any size; expanded ones have no limit */

bool gunzip_recognizes(const uint8_t *bytes, size_t size);
/* The whole file, of one member, in heap memory. false after a problem was noted: the bytes are
 * malformed or cut, more follow them, or (verification_refuse()) they expand to more than
 * GUNZIP_MAX. */
bool gunzip(struct verification *verification, const uint8_t *bytes, size_t size,
	    uint8_t **expanded_ret, size_t *size_ret);

#endif
