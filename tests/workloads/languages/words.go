// What Go programs do: maps, sorting, fmt, channels, garbage.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync"
	"syscall"
)

type node struct {
	Text     string
	Weight   uint32
	Children []*node
}

func grow(depth int, seed *uint32) *node {
	*seed = *seed*1664525 + 1013904223
	n := &node{Text: fmt.Sprintf("%x.%d", *seed, depth), Weight: *seed % 1000}
	for i := 0; depth > 0 && i < 3; i++ {
		n.Children = append(n.Children, grow(depth-1, seed))
	}
	return n
}

func flatten(n *node, into map[string]*node) {
	into[n.Text] = n
	for _, child := range n.Children {
		flatten(child, into)
	}
}

func round(seed uint32) int {
	byText := make(map[string]*node)
	tree := grow(6, &seed)
	flatten(tree, byText)
	keys := make([]string, 0, len(byText))
	for key := range byText {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	text, _ := json.Marshal(tree)
	return len(text) + len(keys)
}

// This process's own time on processors.
func secondsRun() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func work(seconds float64, seed uint32, sums chan<- int, wait *sync.WaitGroup) {
	defer wait.Done()
	for secondsRun() < seconds {
		seed++
		sums <- round(seed)
	}
}

func main() {
	seconds := 2.0
	if len(os.Args) > 1 {
		seconds, _ = strconv.ParseFloat(os.Args[1], 64)
	}
	sums := make(chan int)
	var wait sync.WaitGroup
	for i := uint32(0); i < 4; i++ {
		wait.Add(1)
		go work(seconds, i, sums, &wait)
	}
	go func() { wait.Wait(); close(sums) }()
	total := 0
	for sum := range sums {
		total += sum
	}
	fmt.Println(total)
}
