package isa

// The layouts of the compute engines, isa.md 10.1 to 10.8. A row is (offset, field); its width, its interpretation
// and the checks that apply to it follow from the constructor.

var (
	layLdweights = lay("PE_LW",
		u8(0x0C, FBgTranspose), t3(0x10, FWeights), dt(0x20, FInDtype), u8(0x21, FPeMode), u8(0x23, FPerfMode),
		u8(0x24, FReplicationLo), u8(0x25, FReplicationHi), nch(0x26, FNumActiveRows), nch(0x27, FNumActiveCols),
		u8(0x2C, FRowGroup), u8(0x2D, FColGroup), u8(0x2E, FXbus))
	layMatmul = lay("PE_MM",
		t3(0x10, FMoving), dt(0x20, FInDtype), u8(0x21, FPeMode), u8(0x23, FPerfMode),
		u8(0x24, FReplicationLo), u8(0x25, FReplicationHi), nch(0x26, FNumActiveRows), nch(0x27, FNumActiveCols),
		dt0(0x28, FDstDtype), u8(0x2B, FAccFlags), u8(0x2C, FRowGroup), u8(0x2D, FColGroup), u8(0x2E, FXbus),
		u8(0x2F, FPsumZero), t3(0x30, FDst))
	layLdtags = lay("PE_LTAG",
		t3(0x10, FTags), dt(0x20, FInDtype), u8(0x21, FColGrp), u8(0x26, FTileSize), u8(0x2C, FRowGroup), u8(0x2D, FColGroup))
	layMatmulSparse = lay("PE_MMS",
		t4(0x0C, FMoving), dt(0x20, FInDtype), u8(0x21, FPeMode), u8(0x26, FTileSize), nch(0x27, FNumActiveCols),
		u8(0x2B, FPassFlags), u8(0x2C, FRowGroup), u8(0x2D, FColGroup), t3(0x30, FDst))
	layLdweightsMX = lay("PE_LWMX",
		mx(0x10, FWeights), dt(0x20, FInDtype), nch(0x26, FNumActiveRows), nch(0x27, FNumActiveCols),
		u8(0x2C, FRowGroup), u8(0x2D, FColGroup))
	layMatmulMX = lay("PE_MMMX",
		mx(0x10, FMoving), dt(0x20, FInDtype), nch(0x26, FNumActiveRows), nch(0x27, FNumActiveCols), dt(0x28, FDstDtype),
		u8(0x2B, FAccFlags), u8(0x2C, FRowGroup), u8(0x2D, FColGroup), u8(0x2F, FPsumZero), t3(0x30, FDst))
	layQuantizeMX = lay("QUANT",
		t3(0x10, FSrc), nch(0x21, FNumActiveChannels), dt(0x22, FSrcDtype), dt(0x23, FDstDtype), mx(0x30, FDst))

	layActivate = lay("AC",
		imsrc(0x0C, FAlphaSrc), imsrc(0x0D, FScaleSrc), acc(0x0E, FAccCmd), imsrc(0x0F, FBiasSrc), t3(0x10, FSrc),
		dtLo(0x20, FInDtype), dtHi(0x20, FBiasDtype), dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels), act(0x23, FFunc),
		imm(0x24, FScale, FScaleSrc), imm(0x28, FBias, FBiasSrc), imm(0x2C, FAlpha, FAlphaSrc), t3(0x30, FDst))
	layActivate2 = lay("AC2",
		t2(0x0C, FSrc), imsrc(0x18, FReluParamSrc), imsrc(0x19, FImm0Src), acc(0x1A, FAccCmd), imsrc(0x1B, FImm1Src),
		dt0(0x1C, FImmDtype), alu(0x1D, FOp0), alu(0x1E, FOp1), alu(0x1F, FReduceOp),
		dt(0x20, FInDtype), dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels), act(0x23, FFunc),
		imm(0x24, FImm0, FImm0Src), imm(0x28, FImm1, FImm1Src), imm(0x2C, FReluParam, FReluParamSrc), t2(0x30, FDst),
		u8(0x3C, FReverse))
	layActTableLoad = lay("ATL", u8(0x23, FActTblSel))
	layReadAcc      = lay("RD1",
		u32(0x1C, FDstElementCount), dt(0x20, FDtype), u8(0x21, FNegated), nch(0x22, FNumActiveChannels), t1(0x2C, FDst))

	layTensorScalar = lay("TS",
		acc(0x0C, FAccCmd), dt0Lo(0x0D, FImm0Dtype), dt0Hi(0x0D, FImm1Dtype), t3(0x10, FSrc),
		dt(0x20, FInDtype), dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels), imsrc(0x23, FImm0Src),
		alu(0x24, FOp0), alu(0x25, FOp1), u8(0x26, FReverse), imsrc(0x27, FImm1Src),
		imm(0x28, FImm0, FImm0Src), imm(0x2C, FImm1, FImm1Src), t3(0x30, FDst))
	layScalarTensorTensor = lay("STT",
		t2(0x0C, FSrc0), t2(0x18, FSrc1), alu(0x24, FOp0), alu(0x25, FOp1), u8(0x26, FReverse), imsrc(0x27, FImm0Src),
		dtLo(0x28, FSrc0Dtype), dtHi(0x28, FSrc1Dtype), dt(0x29, FOutDtype), nch(0x2A, FNumActiveChannels), dt0(0x2B, FImm0Dtype),
		acc(0x2C, FAccCmd), t2(0x30, FDst), imm(0x3C, FImm0, FImm0Src))
	layTensorScalarAddr = lay("TSA",
		t2(0x0C, FSrc), imm(0x20, FScalar0, FScalar0Src), imm(0x24, FScalar1, FScalar1Src),
		dt0Lo(0x28, FScalar0Dtype), dt0Hi(0x28, FScalar1Dtype), dtLo(0x29, FInDtype), dtHi(0x29, FOutDtype),
		imsrc(0x2A, FScalar0Src), imsrc(0x2B, FScalar1Src), alu(0x2C, FOp0), alu(0x2D, FOp1),
		nch(0x2E, FNumActiveChannels), u8(0x2F, FReverse), t2(0x30, FDst))

	layTensorTensor = lay("TT",
		dtLo(0x0C, FIn0Dtype), dtHi(0x0C, FIn1Dtype), dt(0x0D, FOutDtype), alu(0x0E, FOp), nch(0x0F, FNumActiveChannels),
		t3(0x10, FDst), t3(0x20, FSrc0), t3(0x30, FSrc1))
	layBnBackProp = lay("TT",
		dtLo(0x0C, FXDtype), dtHi(0x0C, FDyDtype), dt(0x0D, FOutDtype), nch(0x0F, FNumActiveChannels),
		t3(0x10, FX), t3(0x20, FDy), t3(0x30, FDst))
	layCopyPredicated = lay("TT",
		dtLo(0x0C, FMaskDtype), dtHi(0x0C, FSrcDtype), dt(0x0D, FOutDtype), u8(0x0E, FReverse), nch(0x0F, FNumActiveChannels),
		t3(0x10, FDst), t3(0x20, FSrc), t3(0x30, FMask))
	layCopyPredicatedScalar = lay("CPS",
		t3(0x10, FDst), dt(0x20, FMaskDtype), u8(0x21, FReverse), nch(0x22, FNumActiveChannels), dt(0x29, FSrcDtype),
		dt(0x2A, FOutDtype), imsrc(0x2B, FScalar0Src), imm(0x2C, FScalar0, FScalar0Src), t3(0x30, FMask))
	laySelectReduce = lay("SELR",
		t2(0x0C, FSrc), t2(0x18, FDst), alu(0x24, FOp0), alu(0x25, FReduceOp), u8(0x26, FReverse), imsrc(0x27, FFalseSrc),
		dtLo(0x28, FMaskDtype), dtHi(0x28, FSrcDtype), dt(0x29, FOutDtype), nch(0x2A, FNumActiveChannels), dt0(0x2B, FFalseDtype),
		acc(0x2C, FAccCmd), t2(0x30, FMask), imm(0x3C, FFalseValue, FFalseSrc))
	layCopy = lay("CP",
		t4(0x0C, FSrc), dt(0x20, FInDtype), dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels), u8(0x25, FSubdim), t4(0x2C, FDst))
	layMemset = lay("MR",
		u32(0x1C, FDstElementCount), dt(0x20, FDtype), nch(0x22, FNumActiveChannels), u32(0x28, FFill), t4(0x2C, FDst))
	layMoveShape = lay("MSH",
		u16(0x0C, FConst), u8(0x0E, FValid), u8(0x10, FShapeReg),
		i32(0x20, FStep0), i32(0x24, FStep1), i32(0x28, FStep2), i32(0x2C, FStep3),
		u32(0x30, FNum0), u32(0x34, FNum1), u32(0x38, FNum2), u32(0x3C, FNum3))

	layPool = lay("PL",
		t4(0x0C, FSrc), dt(0x20, FInDtype), dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels), u8(0x24, FFunc), u8(0x25, FSubdim),
		f32(0x28, FPoolScale), t4(0x2C, FDst))
	layTensorReduce = lay("TR",
		t4(0x0C, FSrc), dt(0x20, FInDtype), dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels), u8(0x23, FNegated),
		alu(0x24, FOp), u8(0x25, FAxis), t4(0x2C, FDst))
	layCrossLaneReduce = lay("CR",
		t4(0x0C, FSrc), dt(0x20, FInDtype), dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels), u8(0x23, FReduceCmd),
		u8(0x24, FChannelOnly), f32(0x28, FMeanScale), t4(0x2C, FDst))
	layIota = lay("IOTA",
		i32(0x0C, FOffset), i16(0x10, FStep0), i16(0x12, FStep1), i16(0x14, FStep2), i16(0x16, FStep3),
		u16(0x18, FNum0), u16(0x1A, FNum1), u16(0x1C, FNum2), u16(0x1E, FNum3),
		dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels), i32(0x24, FChannelMultiplier), t4(0x2C, FDst))
	layAffineSelect = lay("ASEL",
		i32(0x0C, FOffset), i16(0x10, FStep0), i16(0x12, FStep1), i16(0x14, FStep2), i16(0x16, FStep3),
		u16(0x18, FNum0), u16(0x1A, FNum1), u16(0x1C, FNum2), u16(0x1E, FNum3),
		dt(0x20, FInDtype), dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels), alu(0x23, FCmpOp), i32(0x24, FChannelMultiplier),
		f32(0x28, FOnFalse), a4(0x2C, FSrcAddr, FInDtype), a4(0x30, FDstAddr, FOutDtype),
		i16(0x34, FSrcStep0), i16(0x36, FSrcStep1), i16(0x38, FSrcStep2),
		i16(0x3A, FDstStep0), i16(0x3C, FDstStep1), i16(0x3E, FDstStep2))
	layPoolBufferLoad = lay("PB",
		t4(0x0C, FSrc), dt(0x20, FDtype), nch(0x22, FNumActiveChannels), u32(0x28, FElementCount), u32(0x2C, FDepthMask))
	layGather = lay("GT",
		t4(0x0C, FIndex), dt(0x20, FIndexDtype), dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels), u16(0x24, FContinuation),
		u32(0x28, FChunkBase), t4(0x2C, FDst))

	layBnStats = lay("BNS",
		t4(0x0C, FSrc), dt(0x20, FInDtype), dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels),
		f32(0x28, FEvenCount), f32(0x2C, FOddCount), t2(0x30, FDst))
	layBnGrad = lay("BNG",
		a4(0x0C, FMean, FImmDtype), t3(0x10, FX), t3(0x20, FDy), t1(0x30, FDst), a4(0x38, FVarfactor, FImmDtype),
		dtLo(0x3C, FXDtype), dtHi(0x3C, FDyDtype), dt(0x3D, FImmDtype), dt(0x3E, FOutDtype), nch(0x3F, FNumActiveChannels))
	layBnGrad2 = lay("BNG2",
		u32(0x0C, FMean), t3(0x10, FX), t3(0x20, FDy), t1(0x30, FDst), u32(0x38, FVarfactor),
		dtLo(0x3C, FXDtype), dtHi(0x3C, FDyDtype), dtLo(0x3D, FImmDtype), dtHi(0x3D, FOutDtype),
		nibLo(0x3E, FMeanMode), nibHi(0x3E, FVarfactorMode), nch(0x3F, FNumActiveChannels))
	layBnParamLoad = lay("BNPL",
		t2(0x10, FCoeff), f32(0x1C, FTotalElements), dt(0x20, FCoeffDtype), nch(0x22, FNumActiveChannels),
		imsrc(0x30, FImm0Src), imsrc(0x31, FImm1Src), imm(0x34, FImm0, FImm0Src), imm(0x38, FImm1, FImm1Src))

	layRand2 = lay("RAND2",
		u8(0x0C, FRandAlgorithm), u8(0x0E, FPostProcess), dt(0x20, FDtype), nch(0x22, FNumActiveChannels),
		imsrc(0x26, FMinSrc), imsrc(0x27, FMaxSrc), imm(0x28, FMin, FMinSrc), imm(0x2C, FMax, FMaxSrc), t3(0x30, FDst))
	layRandGetState = lay("RGS",
		u8(0x0C, FRandAlgorithm), u8(0x0D, FRandGenerator), u8(0x0F, FPostProcess), dt(0x20, FDtype), nch(0x22, FNumActiveChannels),
		u32(0x24, FNumSteps), t4(0x2C, FDst))
	layRandSetState = lay("RSS",
		u8(0x0C, FRandAlgorithm), u8(0x0D, FRandGenerator), u8(0x10, FUpdateState), u8(0x18, FSeedMode), dt(0x1B, FDtype),
		nch(0x1C, FNumActiveChannels), t1(0x20, FSrc))
	laySetSeed = lay("SEED", dt(0x20, FDtype), nch(0x22, FNumActiveChannels), t1(0x2C, FSrc))
	layDropout = lay("DROP",
		t3(0x10, FSrc), dt(0x20, FInDtype), dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels), imsrc(0x23, FThresholdSrc),
		dt(0x24, FThresholdDtype), u8(0x2B, FThresholdType), imm(0x2C, FThreshold, FThresholdSrc), t3(0x30, FDst))

	layLoadMask = lay("LMS", mask32(0x20))
	layShuffle  = lay("SHUF",
		t4(0x0C, FSrc), dt(0x20, FInDtype), dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels), u8(0x26, FTransposeCh), t4(0x2C, FDst))
	layMatchValueLoad = lay("MVL", t2(0x10, FVals), dt(0x20, FInDtype), nch(0x22, FNumActiveChannels))
	layMatchReplace   = lay("MREP",
		t4(0x0C, FSrc), dt(0x20, FInDtype), dt(0x21, FOutDtype), nch(0x22, FNumActiveChannels), f32(0x28, FReplaceValue), t4(0x2C, FDst))
	layNonzero = lay("NZC",
		nch(0x0C, FNumActiveChannels), dt(0x0D, FInDtype), dt(0x0E, FOutDtype), t3(0x10, FSrc), i32(0x20, FIndexOffset),
		i32(0x28, FPaddingValue), t3(0x2C, FDst))
	layRangeSelect = lay("RS",
		nch(0x0C, FNumActiveChannels), dtLo(0x0D, FInDtype), dtHi(0x0D, FOutDtype), acc(0x0E, FAccCmd), alu(0x0F, FReduceOp),
		f32(0x10, FRangeStart), f32(0x14, FOnFalse), t2(0x18, FSrc), alu(0x24, FCompOp0), alu(0x25, FCompOp1),
		imsrc(0x26, FBound0Src), imsrc(0x27, FBound1Src), imm(0x28, FBound0, FBound0Src), imm(0x2C, FBound1, FBound1Src), t2(0x30, FDst))
	layIndirectCopy = lay("IC",
		u32(0x0C, FIndexAddr), a4(0x10, FDataAddr, FInDtype), u32(0x14, FNumIndices), dt(0x20, FInDtype), dt(0x21, FOutDtype),
		nch(0x22, FNumActiveChannels), u8(0x23, FNumElemPerIdx), u32(0x26, FSrcBufferSize), t4(0x2C, FDst))
	laySb2sb = lay("SB2SB",
		dt(0x0C, FSrcDtype), dt(0x0D, FDstDtype), t3(0x10, FSrc), u8(0x20, FCrossCore), nch(0x21, FNumActiveChannels), t3(0x30, FDst))
	laySeqBounds = lay("SEQB",
		nch(0x0C, FNumActiveChannels), dt(0x0E, FInDtype), dt(0x0F, FOutDtype), t3(0x10, FSrc), t3(0x20, FDst))
)
