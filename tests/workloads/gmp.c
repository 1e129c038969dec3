/* Divides, multiplies and takes greatest common divisors with libgmp, whose assembly has no CFI. */
#include <gmp.h>

#include "work.h"

int main(int argc, char **argv)
{
	struct rounds rounds = rounds_begin(argc, argv);
	mpz_t a, b, q, r;
	unsigned n;

	mpz_inits(a, b, q, r, NULL);
	while ((n = rounds_next(&rounds))) {
		mpz_ui_pow_ui(a, 7, 400 * n);
		mpz_ui_pow_ui(b, 3, 200 * n);
		mpz_add_ui(b, b, n);
		mpz_tdiv_qr(q, r, a, b);
		mpz_mul(q, q, b);
		mpz_add(q, q, r);
		mpz_gcd(r, q, b);
	}
	mpz_clears(a, b, q, r, NULL);
	return 0;
}
