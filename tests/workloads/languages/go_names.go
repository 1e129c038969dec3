// Names of every kind for tests/cli/0635-go-names.bats: a method, one that is inlined into it, a generic function.
package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

type mixer struct{ state uint64 }

func (m *mixer) step() {
	m.state = m.state*6364136223846793005 + 1442695040888963407 // the inlined line
}

//go:noinline
func (m *mixer) work(n int) {
	for i := 0; i < n; i++ {
		m.step() // the call
	}
}

//go:noinline
func fold[T uint32 | uint64](n T) T {
	x := n
	for i := T(0); i < n; i++ {
		x = x*1664525 + 1013904223
	}
	return x
}

// This process's own time on processors.
func secondsRun() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func main() {
	seconds := 1.0
	if len(os.Args) > 1 {
		seconds, _ = strconv.ParseFloat(os.Args[1], 64)
	}
	m, sink := mixer{1}, uint64(0)
	for secondsRun() < seconds {
		m.work(1000000)
		sink += fold[uint64](1000000)
	}
	fmt.Println(m.state, sink)
}
