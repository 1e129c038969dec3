// C++20 coroutines, which resume each other and throw: for a single-stepping test.
#include <coroutine>
#include <exception>

#define noinline __attribute__((noinline))

static volatile int sink;

static noinline int leaf(int n)
{
	return n + sink;
}

struct generator {
	struct promise_type {
		int value = 0;
		std::exception_ptr thrown;

		generator get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend()
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		std::suspend_always yield_value(int next)
		{
			value = next;
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			thrown = std::current_exception();
		}
	};
	std::coroutine_handle<promise_type> handle;

	noinline int next()
	{
		handle.resume();
		if (handle.promise().thrown)
			std::rethrow_exception(handle.promise().thrown);
		return handle.promise().value;
	}
};

static generator inner(int n)
{
	for (int i = 0; i < n; i++)
		co_yield leaf(i);
	throw n;
}

static generator outer(int n)
{
	generator below = inner(n);

	for (int i = 0; i <= n; i++)
		co_yield leaf(below.next());
}

int main()
{
	generator top = outer(3);

	try {
		while (!top.handle.done())
			sink = top.next();
	} catch (int n) {
		sink = leaf(n);
	}
	top.handle.destroy();
	return 0;
}
