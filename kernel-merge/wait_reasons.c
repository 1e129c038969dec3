#include "kernel-merge/wait_reasons.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

#define MAX_NAMES 256

/* Words are separated by one space. */
static const struct {
	enum marker reason;
	const char *names;
} table[] = {
	{ MARKER_IO_WAIT, "io_schedule io_schedule_timeout mutex_lock_io mutex_lock_io_nested"
			  " read_events request_wait_answer rpc_wait_bit_killable p9_client_rpc" },
	{ MARKER_WAIT_LOCK, "do_futex futex_do_wait futex_wait futex_wait_queue futex_wait_queue_me"
			    " futex_wait_requeue_pi futex_lock_pi" },
	{ MARKER_WAIT_FILE_LOCK, "fcntl_setlk fcntl_setlk64 flock_lock_inode_wait"
				 " posix_lock_inode_wait locks_lock_inode_wait" },
	{ MARKER_WAIT_SEMAPHORE, "do_semtimedop __do_semtimedop" },
	{ MARKER_WAIT_KERNEL_LOCK,
	  "mutex_lock mutex_lock_interruptible mutex_lock_killable __mutex_lock"
	  " __mutex_lock_slowpath __mutex_lock_interruptible_slowpath"
	  " __mutex_lock_killable_slowpath __ww_mutex_lock"
	  " rt_mutex_slowlock __rt_mutex_slowlock rt_mutex_lock rwsem_down_read_slowpath"
	  " rwsem_down_write_slowpath rwsem_down_read_failed rwsem_down_read_failed_killable"
	  " rwsem_down_write_failed rwsem_down_write_failed_killable percpu_rwsem_wait"
	  " percpu_down_write __down __down_common __down_interruptible __down_killable"
	  " __down_timeout down_read down_read_killable down_write down_write_killable" },
	{ MARKER_WAIT_POLL,
	  "do_epoll_wait ep_poll do_sys_poll do_poll do_select core_sys_select do_pselect"
	  " poll_schedule_timeout io_cqring_wait" },
	{ MARKER_SLEEPING,
	  "hrtimer_nanosleep do_nanosleep common_nsleep common_nsleep_timens alarm_timer_nsleep"
	  " alarmtimer_do_nsleep do_cpu_nanosleep msleep msleep_interruptible usleep_range"
	  " usleep_range_state timerfd_read timerfd_read_iter" },
	{ MARKER_WAIT_PIPE,
	  "pipe_read pipe_write anon_pipe_read anon_pipe_write fifo_pipe_read fifo_pipe_write"
	  " pipe_wait pipe_wait_readable pipe_wait_writable fifo_open wait_for_partner" },
	{ MARKER_WAIT_SOCKET,
	  "sock_recvmsg sock_sendmsg __sock_sendmsg ____sys_recvmsg ____sys_sendmsg __sys_recvfrom"
	  " __sys_sendto __sys_connect __sys_connect_file __sys_accept4 __sys_accept4_file"
	  " do_accept sock_read_iter sock_write_iter __lock_sock __lock_sock_fast"
	  " sk_wait_data sk_stream_wait_memory sock_alloc_send_pskb sock_wait_for_wmem"
	  " inet_csk_accept inet_wait_for_connect inet_stream_connect unix_stream_read_generic"
	  " unix_wait_for_peer unix_accept __skb_wait_for_more_packets tcp_recvmsg"
	  " sk_stream_wait_close sk_stream_wait_connect netlink_recvmsg skb_recv_datagram" },
	{ MARKER_WAIT_CHILD,
	  "do_wait kernel_wait4 kernel_waitid __do_sys_waitid wait_for_vfork_done kernel_clone"
	  " _do_fork" },
	{ MARKER_WAIT_SIGNAL,
	  "sigsuspend do_sigtimedwait __do_sys_pause __x64_sys_pause __ia32_sys_pause"
	  " signalfd_read signalfd_read_iter signalfd_dequeue" },
	{ MARKER_WAIT_TERMINAL, "n_tty_read n_tty_write tty_read tty_write" },
	{ MARKER_WAIT_EVENT,
	  "eventfd_read eventfd_write inotify_read fanotify_read perf_read evdev_read" },
	{ MARKER_WAIT_MESSAGE, "do_msgrcv do_msgsnd do_mq_timedreceive do_mq_timedsend wq_sleep" },
	{ MARKER_WAIT_PAGE_FAULT,
	  "exc_page_fault do_user_addr_fault __do_page_fault do_page_fault handle_mm_fault"
	  " handle_userfault do_mem_abort migration_entry_wait" },
	{ MARKER_WAIT_WORK,
	  "worker_thread rescuer_thread smpboot_thread_fn kthreadd kauditd_thread"
	  " rcu_gp_kthread rcu_gp_fqs_loop rcu_tasks_kthread kswapd kcompactd khugepaged"
	  " ksm_scan_thread kdamond_fn oom_reaper kjournald2 irq_thread io_wq_worker "
	  "io_sq_thread" },
	{ MARKER_STOPPED,
	  "ptrace_stop ptrace_notify do_signal_stop do_jobctl_trap do_freezer_trap __refrigerator"
	  " get_signal" },
	/* Called by functions above, but waiting for other things. */
	{ MARKER_BLOCKED, "do_exit do_group_exit do_coredump vfs_coredump process_one_work" },
};

/* A word of the table. */
struct name {
	const char *text;
	size_t length;
	enum marker reason;
};

struct names {
	struct name names[MAX_NAMES];
	size_t n_names;
};

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	size_t shorter = x->length < y->length ? x->length : y->length;
	int difference = memcmp(x->text, y->text, shorter);

	return difference ? difference : (x->length > y->length) - (x->length < y->length);
}

static void sort_names(struct names *names)
{
	names->n_names = 0;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const char *at = table[i].names;

		while (*at && names->n_names < MAX_NAMES) {
			size_t length = strcspn(at, " ");

			names->names[names->n_names++] =
				(struct name){ at, length, table[i].reason };
			at += length + (at[length] == ' ');
		}
	}
	qsort(names->names, names->n_names, sizeof(names->names[0]), compare_names);
}

static const struct name *find_name(const struct names *names, const char *symbol)
{
	struct name key = { .text = symbol, .length = strcspn(symbol, ".") };

	return bsearch(&key, names->names, names->n_names, sizeof(key), compare_names);
}

static uint64_t symbol_end(const struct symbol_table *symbols, size_t i)
{
	const struct symbol *symbol = &symbols->symbols[i];

	if (symbol->size)
		return symbol->offset + symbol->size;
	while (i < symbols->n_symbols && symbols->symbols[i].offset == symbol->offset)
		i++;
	return i < symbols->n_symbols ? symbols->symbols[i].offset : UINT64_MAX;
}

static int add_functions(struct wait_reasons *reasons, const struct module *module,
			 const struct names *names)
{
	const struct symbol_table *symbols = module->symbols;

	for (size_t i = 0; i < symbols->n_symbols; i++) {
		const struct name *name = find_name(names, symbols->symbols[i].name);

		if (!name)
			continue;
		if (array_reserve(reasons->functions, reasons->n_functions, reasons->n_allocated,
				  1))
			return -ENOMEM;
		reasons->functions[reasons->n_functions++] =
			(struct wait_function){ .start = symbols->symbols[i].offset,
						.end = symbol_end(symbols, i),
						.module = module->id,
						.reason = name->reason };
	}
	return 0;
}

static int compare_functions(const void *a, const void *b)
{
	const struct wait_function *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

int wait_reasons_init(struct wait_reasons *reasons, const struct module_table *modules)
{
	struct names names;

	*reasons = (struct wait_reasons){ .functions = NULL };
	sort_names(&names);
	for (uint32_t id = 1; id < modules->n_modules; id++) {
		const struct module *module = module_table_get(modules, id);

		if (module->key.kind != MODULE_KERNEL || !module->symbols)
			continue;
		if (add_functions(reasons, module, &names)) {
			wait_reasons_deinit(reasons);
			return -ENOMEM;
		}
	}
	if (reasons->n_functions)
		qsort(reasons->functions, reasons->n_functions, sizeof(reasons->functions[0]),
		      compare_functions);
	return 0;
}

void wait_reasons_deinit(struct wait_reasons *reasons)
{
	free(reasons->functions);
	*reasons = (struct wait_reasons){ .functions = NULL };
}

static int compare_with_function(const void *key, const void *element)
{
	const struct frame *frame = key;
	const struct wait_function *function = element;

	if (frame->module != function->module)
		return frame->module < function->module ? -1 : 1;
	if (frame->offset < function->start)
		return -1;
	return frame->offset >= function->end;
}

enum marker wait_reasons_of(const struct wait_reasons *reasons, const struct frame *frames,
			    size_t n_frames)
{
	enum marker reason = N_MARKERS;

	for (size_t i = 0; i < n_frames && reasons->n_functions; i++) {
		const struct wait_function *function =
			bsearch(&frames[i], reasons->functions, reasons->n_functions,
				sizeof(*function), compare_with_function);

		if (function && function->reason == MARKER_IO_WAIT)
			return MARKER_IO_WAIT;
		if (function && reason == N_MARKERS)
			reason = function->reason;
	}
	return reason == N_MARKERS ? MARKER_BLOCKED : reason;
}
