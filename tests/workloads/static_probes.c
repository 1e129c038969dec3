/*
 * Static probes whose hits and arguments are known, without systemtap's header: the notes are
 * written by hand as it writes them (cct/object/elf_probes.h). "called" has two sites whose
 * arguments have the same types, and a semaphore: its arguments are 0 while nobody watches. "mixed"
 * has two sites with other types. Each of 100 rounds hits every site once.
 */
#include <stdint.h>
#include <stdio.h>

__attribute__((section(".probes"), used)) volatile uint16_t called_semaphore;

#define BASE                                                                    \
	".ifndef _.stapsdt.base\n"                                              \
	".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"                        \
	"_.stapsdt.base: .space 1\n.size _.stapsdt.base,1\n.popsection\n.endif\n"
#define NOTE(name, semaphore, arguments)                                                     \
	"990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n"                    \
	".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"          \
	"993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte " semaphore "\n"                    \
	".asciz \"dendro\"\n.asciz \"" name "\"\n.asciz \"" arguments "\"\n994: .balign 4\n" \
	".popsection\n" BASE

__attribute__((noinline)) static void first(long n, const char *text)
{
	__asm__ volatile(NOTE("called", "called_semaphore", "-8@%0 8@%1 8@$7")
			 :
			 : "r"(called_semaphore ? n : 0), "r"(text));
}

__attribute__((noinline)) static void second(const long *n, const char *text)
{
	__asm__ volatile(NOTE("called", "called_semaphore", "-8@%0 8@%1 8@$9")
			 :
			 : "m"(*n), "r"(text));
}

__attribute__((noinline)) static void third(int n, const long *index)
{
	__asm__ volatile(NOTE("mixed", "0", "-4@%0") : : "r"(n));
	__asm__ volatile(NOTE("mixed", "0", "8@%0") : : "r"((long)n));
	__asm__ volatile(NOTE("indexed", "0", "8@8(%0,%1,8)") : : "r"(index), "r"(0l));
}

int main(void)
{
	static const char *const texts[] = { "even", "odd \"quoted\"" };
	long numbers[2] = { 0 };

	for (int i = 0; i < 100; i++) {
		numbers[0] = -(i % 5);
		first(i % 10, texts[i % 2]);
		second(numbers, texts[0]);
		third(i % 4, numbers);
	}
	printf("%d\n", called_semaphore);
	return 0;
}
