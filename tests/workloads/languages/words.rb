# Regular expressions, hashes, blocks and sorting in Ruby; as many rounds as the argument says.
$seed = 1
$sum = 0

def word(i)
  $seed = ($seed * 1103515 + 12345) % 2147483648
  format("%x.%d", $seed, i % 97)
end

def grow(depth)
  { weight: $seed % 100, children: depth.zero? ? [] : Array.new(3) { grow(depth - 1) } }
end

def walk(node, &visit)
  visit.call(node[:weight])
  node[:children].each { |child| walk(child, &visit) }
end

ARGV[0].to_i.times do
  count = Hash.new(0)
  5000.times do |i|
    found = /^([0-9a-f]+?)[bcd].*\.(?:\d|1\d)$/.match(word(i))
    count[found[1]] += 1 if found
  end
  $sum += count.keys.sort_by { |key| [key.length, key] }.length
  walk(grow(6)) { |weight| $sum += weight }
end
puts $sum
