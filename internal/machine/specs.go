package machine

// The DMA and synchronisation limits that are the same on every generation.
const (
	semaphores = 256 - 3  // the runtime keeps 253..255 (notes for the count, choice for the ids)
	events     = 256 - 12 // notes
	registers  = 64 - 2   // 62 and 63 serve call and return (doc)
	dmaEngines = 16       // doc
	dmaQueues  = 16       // doc
	descBytes  = 65536    // public kernel driver
	dmaDims    = 4        // doc
)

var psum = PSUM{Partitions: 128, Banks: 8, BankBytes: 2048, Stride: 0x8000, Base: 0x02000000, MaxMatmulBanks: 1}

// commonTiming holds the parameters that do not differ between generations.
var commonTiming = Timing{
	MinII: 64, MinIIDynamic: 600,
	FixDVE: 144, FixPool: 150, ActReadAcc: 64,
	TSem: 30, TSeq: 20, TBranch: 60, TSemOp: 40,
	TTrigStatic: 70, TTrigSw: 8, TTrigHw: 50,
	DMAStartStatic: 1000, DMAStartSw: 750, DMAStartHw: 1000, DMADone: 300,
	DGEHwOccupancy: 600, DGESwBase: 583, DGESwPerDesc: 2,
	DescOvh: 1, DescMin: 64, PacketBytes: 4096,
	RecipW: 8,
}

func timing(edit func(*Timing)) Timing {
	t := commonTiming
	edit(&t)
	return t
}

func windows(pool, act, pe, dve int) (w [NumEngines]int) {
	w[Pool], w[ACT], w[PE], w[DVE], w[SP] = pool, act, pe, dve, 1
	return
}

var trn1 = Spec{
	Gen: Gen2, Name: "trn1", Core: "NeuronCore-v2", ArchLevel: 20, Arch: "sunda",
	Aliases: []string{"inf2", "sunda", "trainium", "gen2", "v2", "trn1n"},
	SBUF:    SBUF{Partitions: 128, BytesPerPartition: 192 << 10, Reserved: 16384, Stride: 0x40000},
	PSUM:    psum,
	HBM:     HBM{Bytes: 16 << 30, StackBytesPerNs: 410, CoresPerStack: 1},
	PE:      TensorArray{Rows: 128, Cols: 128, MaxStationary: 128, MaxMoving: 512, MinTile: 64},

	DMAEngines: dmaEngines, DMAQueues: dmaQueues, DGEUnits: 0, MaxDescBytes: descBytes, MaxDMADims: dmaDims,
	Semaphores: semaphores, Events: events, Registers: registers, ReorderWindow: windows(8, 8, 64, 8),
	ExclusivePorts: true, MaxLNC: 1, CoresPerChip: 2,

	Timing: timing(func(t *Timing) {
		t.FPE, t.FDVE, t.FACT, t.FPool, t.FCore = 2.8, 1.12, 1.4, 1.4, 1.4
		t.FixPEMultiply, t.FixPELoad, t.FixACT, t.ActTableLoad = 200/1.4, 66, 222, 368
		t.DGESwBase, t.BwDMA = 500, 17
		t.PEFP32Load, t.RecipW, t.DescFar, t.FarStep = 100/1.4, 2.6, 137, 131072
	}),
}

var trn2 = Spec{
	Gen: Gen3, Name: "trn2", Core: "NeuronCore-v3", ArchLevel: 30, Arch: "gen3",
	Aliases: []string{"cayman", "trn3pre", "gen3", "v3", "trn2n", "trn2u"},
	SBUF:    SBUF{Partitions: 128, BytesPerPartition: 224 << 10, Reserved: 16392, Stride: 0x40000},
	PSUM:    psum,
	HBM:     HBM{Bytes: 24 << 30, StackBytesPerNs: 725, CoresPerStack: 2},
	PE:      TensorArray{Rows: 128, Cols: 128, MaxStationary: 128, MaxMoving: 512, MinTile: 32, DoubleRow: true, ExactTranspose: true},

	DMAEngines: dmaEngines, DMAQueues: dmaQueues, DGEUnits: 2, MaxDescBytes: descBytes, MaxDMADims: dmaDims,
	Semaphores: semaphores, Events: events, Registers: registers, ReorderWindow: windows(8, 8, 64, 8),
	MaxLNC: 2, CoresPerChip: 8,

	Timing: timing(func(t *Timing) {
		t.FPE, t.FDVE, t.FACT, t.FPool, t.FCore = 2.4, 0.96, 1.2, 1.2, 1.2
		t.FixPEMultiply, t.FixPELoad, t.FixACT, t.ActTableLoad = 200/1.2, 170, 350, 1283
		t.BwDMA = 23
	}),
}

var trn3 = Spec{
	Gen: Gen4, Name: "trn3", Core: "NeuronCore-v4", ArchLevel: 40, Arch: "core_v4",
	Aliases: []string{"mariana", "corev4", "core_v4", "gen4", "v4"},
	SBUF:    SBUF{Partitions: 128, BytesPerPartition: 256 << 10, Reserved: 16392, Stride: 0x40000},
	PSUM:    PSUM{Partitions: 128, Banks: 8, BankBytes: 2048, Stride: 0x8000, Base: 0x02000000, MaxMatmulBanks: 8},
	HBM:     HBM{Bytes: 36 << 30, StackBytesPerNs: 1225, CoresPerStack: 2},
	PE:      TensorArray{Rows: 128, Cols: 128, MaxStationary: 128, MaxMoving: 512, MinTile: 32, DoubleRow: true, ExactTranspose: true},

	DMAEngines: dmaEngines, DMAQueues: dmaQueues, DGEUnits: 2, MaxDescBytes: descBytes, MaxDMADims: dmaDims,
	Semaphores: semaphores, Events: events, Registers: registers, ReorderWindow: windows(8, 16, 64, 16),
	MaxLNC: 2, CoresPerChip: 8,

	Timing: timing(func(t *Timing) {
		t.FPE, t.FDVE, t.FACT, t.FPool, t.FCore = 2.4, 1.2, 1.2, 1.2, 1.2
		t.FixPEMultiply, t.FixPELoad, t.FixACT, t.ActTableLoad = 200/1.2, 170, 350, 1283
		t.BwDMA = 33
	}),
}
