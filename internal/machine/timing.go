package machine

// Timing holds the timing parameters of a generation. Unless the comment says otherwise the unit is ns.
type Timing struct {
	FPE, FDVE, FACT, FPool float64 // GHz (doc)
	FCore                  float64 // GHz, sequencers and cycle reports (doc gen2/gen3, choice gen4)

	MinII        float64 // engine cycles: smallest II of a data-path instruction (doc)
	MinIIDynamic float64 // engine cycles: same, copies with a run-time address (doc)

	FixPEMultiply float64 // pipeline latency of MultiplyMoving, 200 core cycles (notes, fig)
	FixPELoad     float64 // latency of LoadStationary (fig; gen4 choice)
	FixACT        float64 // ACT cycles (fig; gen4 choice)
	FixDVE        float64 // DVE cycles (doc kernel library, fig)
	FixPool       float64 // Pool cycles, part of the II (doc)
	ActReadAcc    float64 // ACT cycles: accumulator read-out (doc)
	ActTableLoad  float64 // function-table switch (fig; gen4 choice)

	TSem        float64 // completion until a waiting instruction may start (fig 25-35)
	TSeq        float64 // register operation, branch not taken (choice)
	TBranch     float64 // taken branch (choice)
	TSemOp      float64 // stand-alone semaphore instruction (fig)
	TTrigStatic float64 // sequencer time of a static DMA trigger (fig 62-82)
	TTrigSw     float64 // of a software-DGE instruction (fig)
	TTrigHw     float64 // of a hardware-DGE instruction (choice)

	DMAStartStatic float64 // trigger until the first data byte (fig 770-1000)
	DMAStartSw     float64 // (fig 615-750)
	DMAStartHw     float64 // (choice, includes the unit's time)
	DMADone        float64 // last data byte until a waiter may start (fig 295-321)
	DGEHwOccupancy float64 // a hardware DGE unit is busy per instruction (doc)
	DGESwBase      float64 // GpSimd is busy per software-DGE instruction (notes; gen4 choice)
	DGESwPerDesc   float64 // plus this per descriptor (choice)

	BwDMA       float64 // bytes/ns of one DMA engine (doc)
	DescOvh     float64 // per descriptor (fig)
	DescMin     float64 // bytes: shorter descriptors cost as much (choice)
	DescFar     float64 // per descriptor when the HBM step between partitions reaches FarStep (choice, weak)
	FarStep     int64   // bytes; 0: never
	PacketBytes int64   // arbitration unit between queues (doc)

	PEFP32Load float64 // time per FP32 pass in which loading is not hidden (fit)
	RecipW     float64 // DVE cycles per element of reciprocal (doc 8; gen2 fit 2.6)
}

// DocBasis returns a copy of s with the fitted constants replaced by the documented ones. The worked examples of
// the documentation hold for it.
func (s *Spec) DocBasis() *Spec {
	d := *s
	d.Timing.PEFP32Load = 0
	d.Timing.DescFar = 0
	d.Timing.RecipW = 8
	return &d
}
