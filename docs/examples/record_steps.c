/*
 * Records into a profile what no kernel can sample: the steps of a program that this one
 *interprets, by the functions of that program. Here it is fib(12), computed with a stack of its
 *own; each call of fib() is a sample that weighs one step, and each call of add() two.
 *
 *	cc -o record_steps record_steps.c $(pkg-config --cflags --libs dendro)
 *	./record_steps steps.cct && dendro report steps.cct
 */
#include <dendro.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEPTH_MAX 16

struct interpreter {
	struct dendro_writer *writer;
	uint32_t metric, thread;
	struct dendro_path_frame frames[DEPTH_MAX]; /* the functions that are active */
	size_t depth;
	uint64_t now_ns;
};

static void stop(char *error)
{
	fprintf(stderr, "record_steps: %s\n", error ? error : "out of memory");
	dendro_free(error);
	exit(1);
}

static void enter(struct interpreter *interpreter, const char *function, uint32_t line)
{
	interpreter->frames[interpreter->depth++] = (struct dendro_path_frame){
		.kind = DENDRO_FRAME_USER,
		.name = function,
		.module = "fib.script",
		.file = "fib.script",
		.line = line,
	};
}

static void sample(struct interpreter *interpreter, uint64_t n_steps)
{
	uint32_t path;
	char *error;

	interpreter->now_ns += 1000 * n_steps;
	if (dendro_writer_add_path(interpreter->writer, interpreter->thread, interpreter->frames,
				   interpreter->depth, sizeof(interpreter->frames[0]), &path,
				   &error) ||
	    dendro_writer_add_sample(interpreter->writer, path, interpreter->metric, n_steps,
				     interpreter->now_ns, DENDRO_NONE, &error))
		stop(error);
}

static unsigned fib(struct interpreter *interpreter, unsigned n)
{
	unsigned result = n;

	enter(interpreter, "fib", 3);
	sample(interpreter, 1);
	if (n > 1) {
		result = fib(interpreter, n - 1) + fib(interpreter, n - 2);
		enter(interpreter, "add", 9);
		sample(interpreter, 2);
		interpreter->depth--;
	}
	interpreter->depth--;
	return result;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "steps.cct";
	struct interpreter interpreter = { .depth = 0 };
	uint32_t process;
	char *error;

	if (dendro_writer_create(&interpreter.writer, &error) ||
	    dendro_writer_describe(interpreter.writer, "fib.script 12", 0, &error) ||
	    dendro_writer_add_metric(interpreter.writer, "steps", "events", 1, &interpreter.metric,
				     &error) ||
	    dendro_writer_add_process(interpreter.writer, getpid(), "fib.script", &process,
				      &error) ||
	    dendro_writer_add_thread(interpreter.writer, process, getpid(), "fib.script",
				     &interpreter.thread, &error))
		stop(error);
	enter(&interpreter, "main", 1);
	printf("fib(12) is %u\n", fib(&interpreter, 12));
	if (dendro_writer_save(interpreter.writer, path, &error))
		stop(error);
	dendro_writer_destroy(interpreter.writer);
	return 0;
}
