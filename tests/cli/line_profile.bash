# Profiles by line, as compilers take them: the text of clang's format, in $LINE_PROFILE, of
# the program whose source is $LINE_SOURCE.

# offset_of FUNCTION TEXT : how far the line with this text is below the first one of the function
offset_of() {
	awk -v start=" $1(" -v text="$2" 'index($0, start) && !begin && !/;$/ { begin = NR }
		begin && index($0, text) { print NR - begin; exit }' "$LINE_SOURCE"
}

# lines_of FUNCTION : as they are in the profile
lines_of() {
	awk -v name="$1" '/^[^ ]/ { is_in = index($0, name ":") == 1 } is_in' "$LINE_PROFILE"
}

# line_count FUNCTION TEXT : the count of its line with this text, which has one block
line_count() {
	lines_of "$1" | awk -v place="^ $(offset_of "$1" "$2")([.][0-9]+)?: " '$0 ~ place { print $2 }'
}

# head_of FUNCTION : how often it was entered
head_of() {
	lines_of "$1" | sed -n "s/^$1:[0-9]*://p"
}
