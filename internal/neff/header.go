package neff

import (
	"bytes"
	"encoding/binary"
)

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

const (
	headerSize      = 1024
	headerHashOff   = 172
	headerUUIDOff   = 204
	pkgVersion      = 2
	versionMajorMax = 2
)

func (h *Header) marshal() []byte {
	b := make([]byte, headerSize)
	le := binary.LittleEndian
	le.PutUint64(b[0:], h.PkgVersion)
	le.PutUint64(b[8:], headerSize)
	le.PutUint64(b[16:], h.DataSize)
	le.PutUint64(b[24:], h.VersionMajor)
	le.PutUint64(b[32:], h.VersionMinor)
	copy(b[40:167], h.BuildVersion)
	le.PutUint32(b[168:], h.NumTPB)
	copy(b[headerHashOff:], h.Hash[:])
	copy(b[headerUUIDOff:], h.UUID[:])
	copy(b[220:475], h.Name)
	le.PutUint32(b[476:], h.RequestedTPB)
	copy(b[480:], h.TPBPerNode[:])
	le.PutUint64(b[544:], uint64(h.Features))
	le.PutUint32(b[552:], h.LNC)
	return b
}

func (h *Header) unmarshal(b []byte) error {
	le := binary.LittleEndian
	*h = Header{
		PkgVersion:   le.Uint64(b[0:]),
		DataSize:     le.Uint64(b[16:]),
		VersionMajor: le.Uint64(b[24:]),
		VersionMinor: le.Uint64(b[32:]),
		BuildVersion: cString(b[40:168]),
		NumTPB:       le.Uint32(b[168:]),
		Hash:         [32]byte(b[headerHashOff:]),
		UUID:         [16]byte(b[headerUUIDOff:]),
		Name:         cString(b[220:476]),
		RequestedTPB: le.Uint32(b[476:]),
		TPBPerNode:   [64]byte(b[480:]),
		Features:     Feature(le.Uint64(b[544:])),
		LNC:          le.Uint32(b[552:]),
	}
	if n := le.Uint64(b[8:]); n != headerSize {
		return errf(CodeHeader, "bad header: header_size is %d, want %d: this is not a NEFF", n, headerSize)
	}
	if h.PkgVersion != pkgVersion {
		return errf(CodeVersion, "bad header: package version %d, this reader knows %d", h.PkgVersion, pkgVersion)
	}
	if h.VersionMajor < 1 || h.VersionMajor > versionMajorMax {
		return errf(CodeVersion, "bad header: format version %d.%d, this reader knows 1 and 2", h.VersionMajor, h.VersionMinor)
	}
	if bad := h.Features &^ knownFeatures(); bad != 0 {
		return errf(CodeFeature, "bad header: unknown feature bits %#x", uint64(bad))
	}
	if h.LNC != 1 && h.LNC != 2 {
		return errf(CodeHeader, "bad header: logical core size %d must be 1 or 2", h.LNC)
	}
	for _, c := range b[556:] {
		if c != 0 {
			return errf(CodeHeader, "bad header: padding is not zero")
		}
	}
	return nil
}

func cString(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}
