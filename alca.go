// Package alca compiles StableHLO programs for NeuronCore-class accelerators and runs them on a model of the
// machine.
package alca
