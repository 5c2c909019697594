// Package neff is the executable container: a 1024-byte header and a gzip-compressed tar archive with one instruction
// stream an engine, DMA descriptor lists, variables, constants and the tables that bind inputs and outputs by name.
//
// In memory a container is a File. A program of one core has one Subgraph:
//
//	f.Subgraphs[0].Vars        everything with an address: inputs, outputs, constants, scratch, the on-chip memory
//	f.Subgraphs[0].Queues      DMA queue sets
//	f.Subgraphs[0].Engines     for each engine its bundles and the descriptors its triggers start
//	f.Inputs, f.Outputs        what a caller passes and gets, in signature order
//	f.Debug                    what each bundle came from; Strip drops it
//
// A DMA trigger bundle (0xC1) names a queue and a block id. All DMA entries with that id in the list of the same
// engine form the block: they start together, run on the rings of the queue, and the entry that names a semaphore
// increments it when the block is done.
//
// Write is deterministic: equal Files give equal bytes. Read trusts nothing: every size, reference and hash is
// checked and failures are diagnostics of the NEF family.
package neff
