package neff

// Header is the fixed part of a container, neff.md 1.1.
type Header struct {
	PkgVersion   uint64
	DataSize     uint64
	VersionMajor uint64
	VersionMinor uint64
	BuildVersion string
	NumTPB       uint32
	Hash         [32]byte
	UUID         [16]byte
	Name         string
	RequestedTPB uint32
	TPBPerNode   [64]byte
	Features     Feature
	LNC          uint32
}

// Feature is a set of incompatible features, neff.md 1.4.
type Feature uint64

const (
	FeatCollectiveOffset  Feature = 0x2
	FeatCustomOps         Feature = 0x4
	FeatCoalescedCC       Feature = 0x8
	FeatQueueInstances    Feature = 0x10
	FeatFunctions         Feature = 0x20
	FeatDynamicPWP        Feature = 0x40
	FeatIndirect32bWait   Feature = 0x80
	FeatIndirectBound     Feature = 0x100
	FeatDMAHigherDim      Feature = 0x200
	FeatVNC               Feature = 0x400
	FeatDVEPerf           Feature = 0x800
	FeatDGE               Feature = 0x1000
	FeatPoolRsqrt         Feature = 0x2000
	FeatRemoteSem         Feature = 0x4000
	FeatDGECast           Feature = 0x8000
	FeatVectorDGE         Feature = 0x10000
	FeatEmbeddingStride32 Feature = 0x20000
	FeatSQINoRearm        Feature = 0x100000
	FeatHardwareDGE       Feature = 0x200000
	FeatPartialSB2SB      Feature = 0x400000
	FeatLevel40           Feature = 0x1000000
	FeatLargeTensor       Feature = 0x2000000
)
