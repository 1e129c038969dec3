/* Large switches, in loops that only a table of jumps leads out of: for a single-stepping test. */
#define noinline __attribute__((noinline))

static volatile int sink;

static noinline int leaf(int n)
{
	return n + sink;
}

/* An interpreter: one switch chooses what to do, another how much. */
static noinline int interpret(const unsigned char *code, int n)
{
	int values[4] = { 0 };

	while (1) {
		unsigned char operation = *code++;

		switch (operation) {
		case 0:
			return leaf(values[0]);
		case 1:
			values[0] += leaf(n);
			break;
		case 2:
			values[1] = leaf(values[0]);
			break;
		case 3:
			values[2] = values[1] * 3;
			break;
		case 4:
			values[3] = leaf(values[2] + values[1]);
			break;
		case 5:
			if (n > 0)
				values[0] += interpret(code, n - 1);
			break;
		case 6:
			switch (leaf(n)) {
			case 0:
				values[0] = leaf(4);
				break;
			case 1:
				values[1] ^= leaf(7);
				break;
			case 2:
				values[2] -= 9;
				break;
			case 3:
				values[3] = leaf(2) * 5;
				break;
			case 4:
				values[0] = 1 - values[1];
				break;
			}
			break;
		case 7:
			values[leaf(n) & 3]++;
			break;
		}
	}
}

int main(void)
{
	static const unsigned char code[] = { 1, 2, 3, 6, 7, 4, 5, 2, 6, 1, 0 };

	sink = 0;
	for (int i = 0; i < 5; i++)
		interpret(code, i);
	return 0;
}
