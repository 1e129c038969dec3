# Patterns, arrays, functions and substitution in awk; rounds is set on the command line.
function word(i) {
	seed = (seed * 1103515 + 12345) % 2147483648
	return sprintf("%x.%d", seed, i % 97)
}

function depth_of(n) {
	return n < 2 ? 1 : 1 + depth_of(int(n / 2))
}

BEGIN {
	for (; rounds > 0; rounds--) {
		for (i = 0; i < 2000; i++) {
			text = word(i)
			if (text ~ /^[0-9a-f]+[bcd].*\.1?[0-9]$/)
				count[substr(text, 1, 3)]++
			gsub(/[a-f]+/, "-", text)
			sum += length(text) + depth_of(seed) + split(text, parts, "-")
		}
		for (key in count)
			sum += count[key]
		delete count
	}
	print sum
}
