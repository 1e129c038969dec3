// One of many units of a program with much debug information: `tests/bench/run` compiles it once
// and links copies of it, in which work() has other names. Its templates work on a local type, so
// each copy has code of its own.
#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

namespace
{

struct item {
	unsigned value;
	std::string name;

	bool operator<(const item &other) const
	{
		return value != other.value ? value < other.value : name < other.name;
	}
	bool operator==(const item &other) const
	{
		return value == other.value;
	}
};

struct item_hash {
	std::size_t operator()(const item &item) const
	{
		return std::hash<unsigned>()(item.value);
	}
};

std::vector<item> make_items(unsigned n)
{
	std::vector<item> items;
	unsigned random = n;

	for (unsigned i = 0; i < n; i++) {
		random = random * 1664525u + 1013904223u;
		items.push_back({ random >> 16, std::to_string(random) });
	}
	return items;
}

unsigned long use_tree(const std::vector<item> &items)
{
	std::map<item, unsigned> counts;
	std::set<item> distinct(items.begin(), items.end());

	for (const item &item : items)
		counts[item]++;
	return std::accumulate(counts.begin(), counts.end(), distinct.size(),
			       [](auto sum, const auto &pair) { return sum + pair.second; });
}

unsigned long use_hashes(const std::vector<item> &items)
{
	std::unordered_map<item, std::list<unsigned>, item_hash> places;

	for (const item &item : items)
		places[item].push_back(item.value);
	return places.size();
}

unsigned long use_order(std::vector<item> items)
{
	std::deque<item> last;

	std::sort(items.begin(), items.end());
	std::stable_sort(items.begin(), items.end(),
			 [](const item &a, const item &b) { return a.name < b.name; });
	std::make_heap(items.begin(), items.end());
	for (int i = 0; i < 10 && !items.empty(); i++) {
		std::pop_heap(items.begin(), items.end());
		last.push_front(std::move(items.back()));
		items.pop_back();
	}
	return last.front().value;
}

} // namespace

extern "C" unsigned long work(unsigned n);

unsigned long work(unsigned n)
{
	const std::array<std::function<unsigned long(const std::vector<item> &)>, 3> uses = {
		use_tree, use_hashes, [](const auto &items) { return use_order(items); }
	};
	const auto items = make_items(n);
	unsigned long sum = 0;

	for (const auto &use : uses)
		sum += use(items);
	return sum;
}
