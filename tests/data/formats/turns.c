/*
 * The program of the files in this folder, of which each release keeps a recording and a profile:
 *
 *	gcc -O1 -nostdlib -static -fno-stack-protector -fasynchronous-unwind-tables \
 *		-Wl,--build-id -o turns turns.c && strip -g turns
 *	dendro record -q -e cpu-clock:u -F 997 --no-jitter -o recording.data -- ./turns
 *	dendro archive -q -o turns.data recording.data
 *	dendro build -o turns.cct turns.data
 *
 * A user without access to the kernel's symbols records it, so that the files stay small.
 */
static volatile unsigned long sum;
__attribute__((noinline)) void leaf(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum += i;
}
__attribute__((noinline)) void one(void)
{
	leaf(100000);
	sum++;
}
__attribute__((noinline)) void three(void)
{
	leaf(300000);
	sum++;
}
__attribute__((noinline)) int rounds(void)
{
	for (int i = 0; i < 300; i++) {
		one();
		three();
	}
	return 0;
}
void _start(void)
{
	__asm__ volatile(".cfi_undefined rip");
	rounds();
	__asm__ volatile("syscall" : : "a"(60), "D"(0) : "rcx", "r11", "memory");
}
