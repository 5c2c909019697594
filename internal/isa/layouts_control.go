package isa

// The layouts of control, register, DMA, collective and custom-operation bundles, isa.md 10.9 to 10.12.

var (
	layMove = lay("RMOV",
		u8(0x0C, FNumRegs), dt(0x0D, FDtype), u8(0x0E, FSrcMode), reg(0x10, FSrcReg), reg(0x18, FDstReg), reg(0x19, FDstRegHi),
		i64(0x20, FImm))
	layAluOp = lay("RALU",
		alu(0x0C, FOp), dt(0x0D, FSrcDtype), u8(0x0E, FOperandMode), dt(0x0F, FDstDtype), reg(0x10, FDstReg), reg(0x11, FSrc1Reg),
		reg(0x12, FSrc2Reg), reg(0x13, FSrc2RegHi), reg(0x14, FDstRegHi), reg(0x15, FSrc1RegHi), i64(0x18, FImm))
	layTensorLoad = lay("M2D",
		dt(0x0C, FDtype), u8(0x0E, FNumElem0), u8(0x0F, FNumElem1), u64(0x10, FAddr), i32(0x18, FStepElem0), i32(0x1C, FStepElem1),
		reg(0x20, FReg), reg(0x21, FRegHi))
	layPseudoTensorLoad = lay("PM2D",
		dt(0x0C, FDtype), u8(0x0E, FNumElem0), u8(0x0F, FNumElem1), u32(0x10, FVarID), u32(0x14, FVarOffset),
		i32(0x18, FStepElem0), i32(0x1C, FStepElem1), reg(0x20, FReg), reg(0x21, FRegHi))

	layCtrl  = lay("CTRL")
	layDrain = lay("CTRL", u8(0x28, FDrainCount))
	layEvent = lay("ES",
		u8(0x20, FWait1Mode), u8(0x21, FWait1Idx), u8(0x22, FUpdateMode), u8(0x23, FUpdateIdx), i32(0x24, FWait1Value), i32(0x28, FUpdateValue))
	layRangeClear = lay("ER", u8(0x0C, FClearMode), u8(0x0D, FRangeFirst), u8(0x0E, FRangeLast), mask32(0x20))
	layBranch     = lay("BR",
		u8(0x0C, FCompOp), dt0(0x0D, FDtype), u8(0x0E, FOperandKind), i32(0x10, FImm), reg(0x20, FLhsReg), reg(0x21, FRhsReg), u64(0x30, FTargetPC))
	layBranchHint  = lay("BRH", u8(0x0C, FHint), u64(0x28, FBranchPC), u64(0x30, FTargetPC))
	layCall        = lay("CALL", str(0x0C, 35), u32(0x30, FArgsTableVarID))
	layBegin       = lay("CALL", str(0x0C, 35))
	layExit        = lay("EXIT", u8(0x0C, FSubop))
	layCoreBarrier = lay("CB", u32(0x0C, FSemaphore), u32(0x10, FID))

	layDirect2d = lay("D2D",
		u8(0x0C, FQosFlags), u8(0x0D, FSemaphore), u8(0x0E, FSemIncrement), u8(0x0F, FSyncCommand), a8(0x10, FSrc),
		i32(0x18, FSrcStep0), i32(0x1C, FSrcStep1), u16(0x20, FSrcNum0), u16(0x22, FSrcNum1), u16(0x24, FSrcElemSize),
		u8(0x26, FSrcOffsetReg), u8(0x27, FDstOffsetReg), a8(0x28, FDst), i32(0x30, FDstStep0), i32(0x34, FDstStep1),
		u16(0x38, FDstNum0), u16(0x3A, FDstNum1), u16(0x3C, FDstElemSize), dt(0x3E, FSrcDtype), dt(0x3F, FDstDtype))
	layDirect2dExt = layExt("D2DE",
		u8(0x02, FFlags), u8(0x03, FComputeOp), u32(0x04, FSrcIdxStartAddr), u32(0x08, FDstIdxStartAddr),
		u32(0x0C, FSrcBoundLo), u32(0x10, FDstBoundLo), u32(0x14, FNumIndices), u8(0x18, FOobMode),
		u32(0x38, FSrcBoundHi), u32(0x3C, FDstBoundHi))
	layDMATrigger = lay("DTRG", str(0x0C, 31), u32(0x30, FBlockID))
	layDMARearm   = lay("DTRG", str(0x0C, 31))
	laySwapQueue  = lay("DSWP", str(0x0C, 31), u8(0x3B, FInstance), u32(0x3C, FMarker))
	layMemcpyInd  = lay("DIND",
		u32(0x0C, FIndirectStartOffset), u32(0x10, FValid), u32(0x14, FIndirectStep), u32(0x18, FIndirectNum0), u32(0x1C, FIndirectNum1),
		u32(0x20, FDirectStartOffset), u32(0x24, FDirectStep0), u32(0x28, FDirectPitch), u32(0x2C, FDirectNum0), u32(0x30, FDirectNum1),
		u32(0x34, FDirectElemSize), u16(0x3A, FSemWaitValue), u8(0x3C, FDirection), u16(0x3E, FSemWaitValueHi))
	layRangeCheck = lay("DRC",
		t2(0x0C, FIndex), u32(0x18, FResultReg), u64(0x20, FBound), u8(0x28, FConst), u8(0x29, FCheckDtype), u16(0x2A, FConst1),
		nch(0x2E, FNumActiveChannels), u32(0x30, FLabel), t2(0x34, FOut))
	layEmbedding = lay("EMB",
		dt(0x0C, FIndexDtype), t1(0x10, FIndex), t2(0x18, FData), t1(0x24, FTable), u32(0x2C, FTableBase), u16(0x30, FEntryNumElements),
		u16(0x32, FEntryBytesLo), u16(0x34, FSequenceLength), u32(0x38, FTableNumEntries), u16(0x3C, FEntryBytesHi))

	layCollective = lay("CC2",
		alu(0x0C, FOp), dt(0x0D, FDtype), u8(0x0E, FCtype), u8(0x0F, FCcDim), a8(0x10, FSrc), i32(0x18, FSrcStep0), i32(0x1C, FSrcStep1),
		u32(0x20, FSrcNum0), u32(0x24, FSrcNum1), u8(0x28, FShapeReg))
	layCollectiveExt = layExt("CC2E",
		u16(0x04, FChannelID), u16(0x06, FGroupID), u16(0x08, FStreamID), u32(0x0C, FTrio), a8(0x10, FDst),
		i32(0x18, FDstStep0), i32(0x1C, FDstStep1), u32(0x20, FDstNum0), u32(0x24, FDstNum1), u8(0x28, FShapeReg))
	laySendRecv = lay("SR",
		u8(0x0C, FDirection), u16(0x0E, FChannel), u64(0x10, FTensorID), u32(0x18, FPeer), u64(0x30, FBase), u64(0x38, FNumElements))
	layGidLoad  = lay("GRID", u8(0x0C, FValid), reg(0x17, FDstReg))
	layRankID   = lay("CRID", u8(0x0C, FGroupID), u8(0x0E, FChannelID), u8(0x10, FIterationID), reg(0x12, FDstReg), u16(0x14, FStreamID))
	layComplete = lay("TCMP", u32(0x0C, FCompletionID), u8(0x10, FNumActiveChannels))
	layCustomOp = lay("COH", u16(0x0C, FNumPayloads), u8(0x0E, FFunctionID), u8(0x0F, FNumArguments), u32(0x20, FScratchBytes))
	layPayload  = lay("COP",
		dt(0x0C, FDtype), u8(0x0D, FSpace), nch(0x0E, FNumActiveChannels), u8(0x0F, FPresent), t4(0x10, FOperand), u32(0x30, FVarID))
)
