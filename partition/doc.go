// Package partition cuts a communication graph into blocks of exactly the
// sizes asked for, with little weight between blocks: multilevel recursive
// bisection, and multisection along the levels of a network.
package partition
