// The paths of tests/cli/0280-languages.bats: worker under dispatch_1 and dispatch_2, 1:2, and below a recursion, all
// of it in a goroutine that main waits for.
package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

const unitIterations = 10000

//go:noinline
func worker(n uint64) uint64 {
	x := n
	for i := uint64(0); i < n*unitIterations; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

//go:noinline
func dispatch_1(n uint64) uint64 {
	return worker(n)/3 + n
}

//go:noinline
func dispatch_2(n uint64) uint64 {
	return worker(2*n)/3 + n
}

//go:noinline
func descend(depth, n uint64) uint64 {
	if depth == 0 {
		return worker(n)/3 + n
	}
	return descend(depth-1, n)/3 + depth
}

// This process's own time on processors.
func secondsRun() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func rounds(seconds float64, done chan uint64) {
	random, sink := uint32(1), uint64(0)
	for secondsRun() < seconds {
		random = random*1664525 + 1013904223
		n := 16 + uint64(random>>26)
		sink += dispatch_1(n) + dispatch_2(n) + descend(9, n)
	}
	done <- sink
}

func main() {
	seconds := 2.0
	if len(os.Args) > 1 {
		seconds, _ = strconv.ParseFloat(os.Args[1], 64)
	}
	done := make(chan uint64)
	go rounds(seconds, done)
	fmt.Println(<-done)
}
