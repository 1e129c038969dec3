// Something for a compiler to chew on.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

template <typename Key>
std::map<Key, std::vector<std::string>> group(std::vector<std::string> words)
{
	std::map<Key, std::vector<std::string>> groups;
	std::sort(words.begin(), words.end(), std::greater<std::string>());
	for (const auto &word : words)
		groups[static_cast<Key>(word.size())].push_back(word);
	return groups;
}

int main(int argc, char **argv)
{
	std::vector<std::string> words(argv, argv + argc);
	std::regex pattern("([a-z]+)([0-9]*)", std::regex::icase);
	std::unordered_map<std::string, std::set<std::string>> found;
	for (const auto &word : words) {
		std::smatch match;
		if (std::regex_search(word, match, pattern))
			found[match[1].str()].insert(match[2].str());
	}
	std::ostringstream out;
	for (const auto &[size, list] : group<int>(words))
		out << size << ' ' << list.size() << '\n';
	for (const auto &[size, list] : group<long>(words))
		out << size << ' ' << list.size() << '\n';
	std::cout << out.str() << found.size() << '\n';
	auto shared = std::make_shared<std::function<int(int)>>([](int x) { return x + 1; });
	return (*shared)(-1);
}
