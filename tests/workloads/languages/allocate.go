// Allocates large objects below viaLarge and small ones below viaSmall, and keeps some of them, so
// that the garbage collector is busy. Whatever the runtime does for either on its own stack, above
// runtime.systemstack, is below that function, and no other.
//
//	allocate ROUNDS
package main

import (
	"os"
	"strconv"
)

type node struct {
	next *node
	data [5]int
}

var large [64][]byte
var small [512]*node

//go:noinline
func viaLarge(round int) {
	for i := 0; i < 20; i++ {
		large[(round+i)%len(large)] = make([]byte, 40000+i*1024)
	}
}

//go:noinline
func viaSmall(round int) {
	for i := 0; i < 20; i++ {
		var list *node
		for n := 0; n < 100; n++ {
			list = &node{next: list}
		}
		small[(20*round+i)%len(small)] = list
	}
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	for i := 0; i < rounds; i++ {
		viaLarge(i)
		viaSmall(i)
	}
}
