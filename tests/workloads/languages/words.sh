#!/bin/sh
# Arithmetic, expansions, functions, case and loops of a shell, no other program; as many rounds as
# the argument says.
seed=1 sum=0

word() {
	seed=$(((seed * 1103515 + 12345) % 2147483648))
	text=$seed.$(($1 % 97))
}

depth_of() {
	if [ "$1" -lt 2 ]; then
		sum=$((sum + 1))
	else
		depth_of $(($1 / 2))
	fi
}

rounds=${1:-10}
while [ "$rounds" -gt 0 ]; do
	i=0
	while [ $i -lt 500 ]; do
		word $i
		case $text in
		*7*.1?) sum=$((sum + ${#text})) ;;
		[1-3]*) text=${text%.*} ;;
		*) text=${text#*1} ;;
		esac
		depth_of "$seed"
		i=$((i + 1))
	done
	rounds=$((rounds - 1))
done
echo "$sum"
