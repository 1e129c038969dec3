/* The dictionary of a message of OTLP's profiles, of which nothing is known to be right. */
#ifndef REPORT_VERIFY_OTLP_DICTIONARY_H
#define REPORT_VERIFY_OTLP_DICTIONARY_H

#include "report/formats/otlp_fields.h"
#include "report/verify/protobuf_reader.h"
#include "report/verify/verification.h"

#define N_OTLP_TABLES (OTLP_STACK_TABLE + 1)

struct otlp_table {
	struct protobuf_slice *entries;
	size_t n, n_allocated;
};

struct otlp_dictionary {
	struct verification *verification;       /* borrowed */
	struct otlp_table tables[N_OTLP_TABLES]; /* by enum otlp_dictionary_field */
	struct protobuf_numbers numbers;         /* reused */
};

/*
 * Reads and checks all tables: entries 0, duplicates, indices, addresses. false after a problem was
 * noted. The bytes are borrowed. It may be deinitialized in any case.
 */
bool otlp_dictionary_read(struct otlp_dictionary *dictionary, struct verification *verification,
			  const struct protobuf_slice *message);
void otlp_dictionary_deinit(struct otlp_dictionary *dictionary);
/* Whether the table has the entry; @what and @number name who refers to it. */
bool otlp_dictionary_check(struct otlp_dictionary *dictionary, enum otlp_dictionary_field table,
			   uint64_t index, const char *what, size_t number);
/* Likewise a field with one index. */
bool otlp_dictionary_check_field(struct otlp_dictionary *dictionary,
				 const struct protobuf_slice *message, uint64_t field,
				 enum otlp_dictionary_field table, const char *what, size_t number);
/* Whether a list of attributes is right, and has no key twice. */
bool otlp_dictionary_check_attributes(struct otlp_dictionary *dictionary,
				      const struct protobuf_slice *message, uint64_t field,
				      const char *what, size_t number);

#endif
