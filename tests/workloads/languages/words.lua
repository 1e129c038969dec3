-- Patterns, tables, closures and sorting in Lua; as many rounds as the argument says.
local seed, sum = 1, 0

local function word(i)
	seed = (seed * 1103515 + 12345) % 2147483648
	return string.format("%x.%d", seed, i % 97)
end

local function walk(node, visit)
	visit(node)
	for _, child in ipairs(node.children) do
		walk(child, visit)
	end
end

local function grow(depth)
	local children = {}
	for i = 1, depth > 0 and 3 or 0 do
		children[i] = grow(depth - 1)
	end
	return { weight = seed % 100, children = children }
end

for _ = 1, tonumber(arg[1] or 100) do
	local count, words = {}, {}
	for i = 1, 5000 do
		local found = word(i):match("^[0-9a-f]-([bcd].*%.1?%d)$")
		if found then
			count[found] = (count[found] or 0) + 1
		end
	end
	for found in pairs(count) do
		words[#words + 1] = found
	end
	table.sort(words, function(a, b) return #a < #b or #a == #b and a < b end)
	walk(grow(6), function(node) sum = sum + node.weight end)
	sum = sum + #words
end
print(sum)
