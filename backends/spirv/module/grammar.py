"""The SPIR-V grammar as tables, made by tools/generate_spirv_tables.py: do not edit.

From spirv.core.grammar.json, SPIR-V 1.6 revision 7, and extinst.opencl.std.100.grammar.json.
Copyright: 2014-2024 The Khronos Group Inc.  License: MIT.  The unmodified, normative versions are at
https://www.khronos.org/registry/.
"""

# operand kinds|capability|name=opcode ...  Kinds: T result type, R result, I id, N integer, S string, F float,
# C number of the type's width, X, O number of an instruction, else an enumeration.
INSTRUCTIONS = """\
||Nop=0 FunctionEnd=56 Return=253 Unreachable=255 NoLine=317
T R||Undef=1 ConstantTrue=41 ConstantFalse=42 ConstantNull=46 SpecConstantTrue=48 SpecConstantFalse=49 FunctionParameter=55
S||SourceContinued=2 SourceExtension=4 Extension=10 ModuleProcessed=330
SourceLanguage N I? S?||Source=3
I S||Name=5
I N S||MemberName=6
R S||String=7 ExtInstImport=11
I N N||Line=8
T R I X I*||ExtInst=12 ExtInstWithForwardRefsKHR=4433
AddressingModel MemoryModel||MemoryModel=14
ExecutionModel I S I*||EntryPoint=15
I ExecutionMode||ExecutionMode=16 ExecutionModeId=331
Capability||Capability=17
R||TypeVoid=19 TypeBool=20 TypeSampler=26 DecorationGroup=73 Label=248
R N N||TypeInt=21
R N FPEncoding?||TypeFloat=22
R I N||TypeVector=23
R I N|Matrix|TypeMatrix=24
R I Dim N N N N ImageFormat AccessQualifier?||TypeImage=25
R I||TypeSampledImage=27
R I I||TypeArray=28
R I*||TypeStruct=30
R S|Kernel|TypeOpaque=31
R StorageClass I||TypePointer=32
R I I*||TypeFunction=33
R|Kernel|TypeEvent=34
R|DeviceEnqueue|TypeDeviceEvent=35 TypeQueue=37
R|Pipes|TypeReserveId=36
R AccessQualifier|Pipes|TypePipe=38
I StorageClass|Addresses|TypeForwardPointer=39
T R C||Constant=43 SpecConstant=50
T R I*||ConstantComposite=44 SpecConstantComposite=51 CompositeConstruct=80
T R SamplerAddressingMode N SamplerFilterMode|LiteralSampler|ConstantSampler=45
T R O||SpecConstantOp=52
T R FunctionControl I||Function=54
T R I I*||FunctionCall=57 AccessChain=65 InBoundsAccessChain=66
T R StorageClass I?||Variable=59
T R I MemoryAccess?||Load=61
I I MemoryAccess?||Store=62
I I MemoryAccess? MemoryAccess?||CopyMemory=63
I I I MemoryAccess? MemoryAccess?|Addresses|CopyMemorySized=64
T R I I I*|Addresses|PtrAccessChain=67 InBoundsPtrAccessChain=70
T R I|Kernel|GenericPtrMemSemantics=69 SatConvertSToU=118 SatConvertUToS=119 PtrCastToGeneric=121 GenericCastToPtr=122
T R I|Kernel|IsFinite=158 IsNormal=159 SignBitSet=160
I Decoration||Decorate=71 DecorateId=332 DecorateString=5632
I N Decoration||MemberDecorate=72 MemberDecorateString=5633
I I*||GroupDecorate=74
I IN*||GroupMemberDecorate=75
T R I I||VectorExtractDynamic=77 SampledImage=86 IAdd=128 FAdd=129 ISub=130 FSub=131 IMul=132 FMul=133 UDiv=134 SDiv=135
T R I I||FDiv=136 UMod=137 SRem=138 SMod=139 FRem=140 FMod=141 VectorTimesScalar=142 Dot=148 IAddCarry=149 ISubBorrow=150
T R I I||UMulExtended=151 SMulExtended=152 LogicalEqual=164 LogicalNotEqual=165 LogicalOr=166 LogicalAnd=167 IEqual=170
T R I I||INotEqual=171 UGreaterThan=172 SGreaterThan=173 UGreaterThanEqual=174 SGreaterThanEqual=175 ULessThan=176 SLessThan=177
T R I I||ULessThanEqual=178 SLessThanEqual=179 FOrdEqual=180 FUnordEqual=181 FOrdNotEqual=182 FUnordNotEqual=183
T R I I||FOrdLessThan=184 FUnordLessThan=185 FOrdGreaterThan=186 FUnordGreaterThan=187 FOrdLessThanEqual=188
T R I I||FUnordLessThanEqual=189 FOrdGreaterThanEqual=190 FUnordGreaterThanEqual=191 ShiftRightLogical=194
T R I I||ShiftRightArithmetic=195 ShiftLeftLogical=196 BitwiseOr=197 BitwiseXor=198 BitwiseAnd=199 PtrEqual=401 PtrNotEqual=402
T R I I I||VectorInsertDynamic=78 Select=169 AtomicLoad=227 AtomicIIncrement=232 AtomicIDecrement=233
T R I I N*||VectorShuffle=79 CompositeInsert=82
T R I N*||CompositeExtract=81
T R I||CopyObject=83 ConvertFToU=109 ConvertFToS=110 ConvertSToF=111 ConvertUToF=112 UConvert=113 SConvert=114 FConvert=115
T R I||Bitcast=124 SNegate=126 FNegate=127 Any=154 All=155 IsNan=156 IsInf=157 LogicalNot=168 Not=200 BitCount=205
T R I||CopyLogical=400
T R I|Matrix|Transpose=84
T R I|Addresses|ConvertPtrToU=117 ConvertUToPtr=120 SizeOf=321
T R I StorageClass|Kernel|GenericCastToPtrExplicit=123
T R I I|Matrix|MatrixTimesScalar=143 VectorTimesMatrix=144 MatrixTimesVector=145 MatrixTimesMatrix=146 OuterProduct=147
T R I I|Kernel|LessOrGreater=161 Ordered=162 Unordered=163
T R I I I I|Shader|BitFieldInsert=201
T R I I I|Shader|BitFieldSExtract=202 BitFieldUExtract=203
T R I|Shader|BitReverse=204
I I I||ControlBarrier=224
I I||MemoryBarrier=225
I I I I||AtomicStore=228
T R I I I I||AtomicExchange=229 AtomicIAdd=234 AtomicISub=235 AtomicSMin=236 AtomicUMin=237 AtomicSMax=238 AtomicUMax=239
T R I I I I||AtomicAnd=240 AtomicOr=241 AtomicXor=242
T R I I I I I I||AtomicCompareExchange=230
T R I I I I I I|Kernel|AtomicCompareExchangeWeak=231 GroupAsyncCopy=259
T R II*||Phi=245
I I LoopControl||LoopMerge=246
I SelectionControl||SelectionMerge=247
I||Branch=249 ReturnValue=254
I I I N*||BranchConditional=250
I I CI*||Switch=251
I N|Kernel|LifetimeStart=256 LifetimeStop=257
I I I|Kernel|GroupWaitEvents=260 AtomicFlagClear=319
T R I I|Groups|GroupAll=261 GroupAny=262
T R I I I|Groups|GroupBroadcast=263
T R I GroupOperation I|Groups|GroupIAdd=264 GroupFAdd=265 GroupFMin=266 GroupUMin=267 GroupSMin=268 GroupFMax=269 GroupUMax=270
T R I GroupOperation I|Groups|GroupSMax=271
T R I I I I|Pipes|ReadPipe=274 WritePipe=275 ReserveReadPipePackets=278 ReserveWritePipePackets=279
T R I I I I I I|Pipes|ReservedReadPipe=276 ReservedWritePipe=277
I I I I|Pipes|CommitReadPipe=280 CommitWritePipe=281
T R I|Pipes|IsValidReserveId=282
T R I I I|Pipes|GetNumPipePackets=283 GetMaxPipePackets=284
T R I I I I I|Pipes|GroupReserveReadPipePackets=285 GroupReserveWritePipePackets=286
I I I I I|Pipes|GroupCommitReadPipe=287 GroupCommitWritePipe=288
T R I I I I|DeviceEnqueue|EnqueueMarker=291 GetKernelWorkGroupSize=295 GetKernelPreferredWorkGroupSizeMultiple=296
T R I I I I I I I I I I I*|DeviceEnqueue|EnqueueKernel=292
T R I I I I I|DeviceEnqueue|GetKernelNDrangeSubGroupCount=293 GetKernelNDrangeMaxSubGroupSize=294
I|DeviceEnqueue|RetainEvent=297 ReleaseEvent=298
T R|DeviceEnqueue|CreateUserEvent=299 GetDefaultQueue=303
T R I|DeviceEnqueue|IsValidEvent=300
I I|DeviceEnqueue|SetUserEventStatus=301
I I I|DeviceEnqueue|CaptureEventProfilingInfo=302
T R I I I|DeviceEnqueue|BuildNDRange=304
T R I I I|Kernel|AtomicFlagTestAndSet=318
R|PipeStorage|TypePipeStorage=322
T R N N N|PipeStorage|ConstantPipeStorage=323
T R I|PipeStorage|CreatePipeFromPipeStorage=324
T R I I I I I|SubgroupDispatch|GetKernelLocalSizeForSubgroupCount=325
T R I I I I|SubgroupDispatch|GetKernelMaxNumSubgroups=326
R|NamedBarrier|TypeNamedBarrier=327
T R I|NamedBarrier|NamedBarrierInitialize=328
I I I|NamedBarrier|MemoryNamedBarrier=329
T R I|GroupNonUniform|GroupNonUniformElect=333
T R I I|GroupNonUniformVote|GroupNonUniformAll=334 GroupNonUniformAny=335 GroupNonUniformAllEqual=336
T R I I I|GroupNonUniformBallot|GroupNonUniformBroadcast=337 GroupNonUniformBallotBitExtract=341
T R I I|GroupNonUniformBallot|GroupNonUniformBroadcastFirst=338 GroupNonUniformBallot=339 GroupNonUniformInverseBallot=340
T R I I|GroupNonUniformBallot|GroupNonUniformBallotFindLSB=343 GroupNonUniformBallotFindMSB=344
T R I GroupOperation I|GroupNonUniformBallot|GroupNonUniformBallotBitCount=342
T R I I I|GroupNonUniformShuffle|GroupNonUniformShuffle=345 GroupNonUniformShuffleXor=346
T R I I I|GroupNonUniformShuffleRelative|GroupNonUniformShuffleUp=347 GroupNonUniformShuffleDown=348
T R I GroupOperation I I?|GroupNonUniformArithmetic|GroupNonUniformIAdd=349 GroupNonUniformFAdd=350 GroupNonUniformIMul=351
T R I GroupOperation I I?|GroupNonUniformArithmetic|GroupNonUniformFMul=352 GroupNonUniformSMin=353 GroupNonUniformUMin=354
T R I GroupOperation I I?|GroupNonUniformArithmetic|GroupNonUniformFMin=355 GroupNonUniformSMax=356 GroupNonUniformUMax=357
T R I GroupOperation I I?|GroupNonUniformArithmetic|GroupNonUniformFMax=358 GroupNonUniformBitwiseAnd=359
T R I GroupOperation I I?|GroupNonUniformArithmetic|GroupNonUniformBitwiseOr=360 GroupNonUniformBitwiseXor=361
T R I GroupOperation I I?|GroupNonUniformArithmetic|GroupNonUniformLogicalAnd=362 GroupNonUniformLogicalOr=363
T R I GroupOperation I I?|GroupNonUniformArithmetic|GroupNonUniformLogicalXor=364
T R I I I|GroupNonUniformQuad|GroupNonUniformQuadBroadcast=365 GroupNonUniformQuadSwap=366
T R I I|Addresses|PtrDiff=403
T R I I|BitcastExtractEXT|BitcastExtractEXT=4195
R StorageClass|UntypedPointersKHR|TypeUntypedPointerKHR=4417
T R StorageClass I? I?|UntypedPointersKHR|UntypedVariableKHR=4418
T R I I I*|UntypedPointersKHR|UntypedAccessChainKHR=4419 UntypedInBoundsAccessChainKHR=4420
T R I|SubgroupBallotKHR|SubgroupBallotKHR=4421 SubgroupFirstInvocationKHR=4422
T R I I I I*|UntypedPointersKHR|UntypedPtrAccessChainKHR=4423 UntypedInBoundsPtrAccessChainKHR=4424
T R I I N|UntypedPointersKHR|UntypedArrayLengthKHR=4425
I I I? I? I?|UntypedPointersKHR|UntypedPrefetchKHR=4426
T R I I I|FMAKHR|FmaKHR=4427
T R I|SubgroupVoteKHR|SubgroupAllKHR=4428 SubgroupAnyKHR=4429 SubgroupAllEqualKHR=4430
T R I I I I?|GroupNonUniformRotateKHR|GroupNonUniformRotateKHR=4431
T R I I|SubgroupBallotKHR|SubgroupReadInvocationKHR=4432
T R I I I I I I I MemoryAccess? MemoryAccess?|UntypedPointersKHR|UntypedGroupAsyncCopyKHR=4434
T R I I PackedVectorFormat?|DotProduct|SDot=4450 UDot=4451 SUDot=4452
T R I I I PackedVectorFormat?|DotProduct|SDotAccSat=4453 UDotAccSat=4454 SUDotAccSat=4455
R I I I I I|CooperativeMatrixKHR|TypeCooperativeMatrixKHR=4456
T R I I I? MemoryAccess?|CooperativeMatrixKHR|CooperativeMatrixLoadKHR=4457
I I I I? MemoryAccess?|CooperativeMatrixKHR|CooperativeMatrixStoreKHR=4458
T R I I I CooperativeMatrixOperands?|CooperativeMatrixKHR|CooperativeMatrixMulAddKHR=4459
T R I|CooperativeMatrixKHR|CooperativeMatrixLengthKHR=4460
T R I|ReplicatedCompositesEXT|ConstantCompositeReplicateEXT=4461 SpecConstantCompositeReplicateEXT=4462
T R I|ReplicatedCompositesEXT|CompositeConstructReplicateEXT=4463
T R|PoisonFreezeKHR|PoisonKHR=5158
T R I|PoisonFreezeKHR|FreezeKHR=5159
T R I|GroupNonUniformPartitionedEXT|GroupNonUniformPartitionEXT=5296
T R I I|SubgroupShuffleINTEL|SubgroupShuffleINTEL=5571 SubgroupShuffleXorINTEL=5574
T R I I I|SubgroupShuffleINTEL|SubgroupShuffleDownINTEL=5572 SubgroupShuffleUpINTEL=5573
T R I|SubgroupBufferBlockIOINTEL|SubgroupBlockReadINTEL=5575
I I|SubgroupBufferBlockIOINTEL|SubgroupBlockWriteINTEL=5576
T R I I|SubgroupImageBlockIOINTEL|SubgroupImageBlockReadINTEL=5577
I I I|SubgroupImageBlockIOINTEL|SubgroupImageBlockWriteINTEL=5578
T R I|IntegerFunctions2INTEL|UCountLeadingZerosINTEL=5585 UCountTrailingZerosINTEL=5586
T R I I|IntegerFunctions2INTEL|AbsISubINTEL=5587 AbsUSubINTEL=5588 IAddSatINTEL=5589 UAddSatINTEL=5590 IAverageINTEL=5591
T R I I|IntegerFunctions2INTEL|UAverageINTEL=5592 IAverageRoundedINTEL=5593 UAverageRoundedINTEL=5594 ISubSatINTEL=5595
T R I I|IntegerFunctions2INTEL|USubSatINTEL=5596 IMul32x16INTEL=5597 UMul32x16INTEL=5598
T R I|FunctionPointersINTEL|ConstantFunctionPointerINTEL=5600
T R I*|FunctionPointersINTEL|FunctionPointerCallINTEL=5601
R S|AsmINTEL|AsmTargetINTEL=5609
T R I I S S|AsmINTEL|AsmINTEL=5610
T R I I*|AsmINTEL|AsmCallINTEL=5611
T R I I I I|AtomicFloat16MinMaxEXT|AtomicFMinEXT=5614 AtomicFMaxEXT=5615
I|ExpectAssumeKHR|AssumeTrueKHR=5630
T R I I|ExpectAssumeKHR|ExpectKHR=5631
N*|UnstructuredLoopControlsINTEL|LoopControlINTEL=5887
R I?|MemoryAccessAliasingINTEL|AliasDomainDeclINTEL=5911
R I I?|MemoryAccessAliasingINTEL|AliasScopeDeclINTEL=5912
R I*|MemoryAccessAliasingINTEL|AliasScopeListDeclINTEL=5913
T R I I I I|AtomicFloat16AddEXT|AtomicFAddEXT=6035
I*|LongCompositesINTEL|TypeStructContinuedINTEL=6090 ConstantCompositeContinuedINTEL=6091
I*|LongCompositesINTEL|SpecConstantCompositeContinuedINTEL=6092 CompositeConstructContinuedINTEL=6096
T R I|BFloat16ConversionINTEL|ConvertFToBF16INTEL=6116 ConvertBF16ToFINTEL=6117
I I I|SplitBarrierEXT|ControlBarrierArriveEXT=6142 ControlBarrierWaitEXT=6143
T R I|ArithmeticFenceEXT|ArithmeticFenceEXT=6145
I I MemoryAccess?|SubgroupBufferPrefetchINTEL|SubgroupBlockPrefetchINTEL=6221
I I I I I I I I I I|Subgroup2DBlockIOINTEL|Subgroup2DBlockLoadINTEL=6231 Subgroup2DBlockStoreINTEL=6235
I I I I I I I I I I|Subgroup2DBlockTransformINTEL|Subgroup2DBlockLoadTransformINTEL=6232
I I I I I I I I I I|Subgroup2DBlockTransposeINTEL|Subgroup2DBlockLoadTransposeINTEL=6233
I I I I I I I I I|Subgroup2DBlockIOINTEL|Subgroup2DBlockPrefetchINTEL=6234
T R I I I I MatrixMultiplyAccumulateOperands?|SubgroupMatrixMultiplyAccumulateINTEL|SubgroupMatrixMultiplyAccumulateINTEL=6237
T R I I I I|TernaryBitwiseFunctionINTEL|BitwiseFunctionINTEL=6242
T R I I I MemoryAccess?|PredicatedIOINTEL|PredicatedLoadINTEL=6258
I I I MemoryAccess?|PredicatedIOINTEL|PredicatedStoreINTEL=6259
T R I GroupOperation I|GroupUniformArithmeticKHR|GroupIMulKHR=6401 GroupFMulKHR=6402 GroupBitwiseAndKHR=6403
T R I GroupOperation I|GroupUniformArithmeticKHR|GroupBitwiseOrKHR=6404 GroupBitwiseXorKHR=6405 GroupLogicalAndKHR=6406
T R I GroupOperation I|GroupUniformArithmeticKHR|GroupLogicalOrKHR=6407 GroupLogicalXorKHR=6408
T R I|TensorFloat32RoundingINTEL|RoundFToTF32INTEL=6426
T R I N I I|MaskedGatherScatterINTEL|MaskedGatherINTEL=6428
I I N I|MaskedGatherScatterINTEL|MaskedScatterINTEL=6429
"""

# kind and category, then name=value:parameters:capability; of a capability, name=value:implied:extension.
ENUMERATIONS = """\
AccessQualifier ValueEnum
 ReadOnly=0::Kernel WriteOnly=1::Kernel ReadWrite=2::Kernel
AddressingModel ValueEnum
 Logical=0 Physical32=1::Addresses Physical64=2::Addresses
BuiltIn ValueEnum
 NumWorkgroups=24 WorkgroupSize=25 WorkgroupId=26 LocalInvocationId=27 GlobalInvocationId=28 LocalInvocationIndex=29
 WorkDim=30::Kernel GlobalSize=31::Kernel EnqueuedWorkgroupSize=32::Kernel GlobalOffset=33::Kernel GlobalLinearId=34::Kernel
 SubgroupSize=36::Kernel SubgroupMaxSize=37::Kernel NumSubgroups=38::Kernel NumEnqueuedSubgroups=39::Kernel
 SubgroupId=40::Kernel SubgroupLocalInvocationId=41::Kernel SubgroupEqMask=4416::SubgroupBallotKHR
 SubgroupGeMask=4417::SubgroupBallotKHR SubgroupGtMask=4418::SubgroupBallotKHR SubgroupLeMask=4419::SubgroupBallotKHR
 SubgroupLtMask=4420::SubgroupBallotKHR
Capability ValueEnum
 Matrix=0 Addresses=4 Linkage=5 Kernel=6 Vector16=7:Kernel Float16Buffer=8:Kernel Float16=9 Float64=10 Int64=11
 Int64Atomics=12:Int64 Pipes=17:Kernel Groups=18 DeviceEnqueue=19:Kernel LiteralSampler=20:Kernel Int16=22
 GenericPointer=38:Addresses Int8=39 Sampled1D=43 SampledBuffer=46 SubgroupDispatch=58:DeviceEnqueue NamedBarrier=59:Kernel
 PipeStorage=60:Pipes GroupNonUniform=61 GroupNonUniformVote=62:GroupNonUniform GroupNonUniformArithmetic=63:GroupNonUniform
 GroupNonUniformBallot=64:GroupNonUniform GroupNonUniformShuffle=65:GroupNonUniform
 GroupNonUniformShuffleRelative=66:GroupNonUniform GroupNonUniformClustered=67:GroupNonUniform
 GroupNonUniformQuad=68:GroupNonUniform UniformDecoration=71 Float8EXT=4212::SPV_EXT_float8
 Float8CooperativeMatrixEXT=4213:Float8EXT,CooperativeMatrixKHR:SPV_EXT_float8 Float6EXT=4228::SPV_EXT_ocp_microscaling_types
 Float4EXT=4229::SPV_EXT_ocp_microscaling_types Float8UnsignedE8M0EXT=4230::SPV_EXT_ocp_microscaling_types
 MXInt8EXT=4231::SPV_EXT_ocp_microscaling_types BitcastExtractEXT=4232::SPV_EXT_ocp_microscaling_types
 SubgroupBallotKHR=4423::SPV_KHR_shader_ballot SubgroupVoteKHR=4431::SPV_KHR_subgroup_vote DenormPreserve=4464
 DenormFlushToZero=4465 SignedZeroInfNanPreserve=4466 RoundingModeRTE=4467 RoundingModeRTZ=4468
 UntypedPointersKHR=4473::SPV_KHR_untyped_pointers Int64ImageEXT=5016:Int64:SPV_EXT_shader_image_int64
 Int4TypeINTEL=5112::SPV_INTEL_int4 Int4CooperativeMatrixINTEL=5114:Int4TypeINTEL,CooperativeMatrixKHR:SPV_INTEL_int4
 BFloat16TypeKHR=5116::SPV_KHR_bfloat16 BFloat16DotProductKHR=5117:BFloat16TypeKHR:SPV_KHR_bfloat16
 BFloat16CooperativeMatrixKHR=5118:BFloat16TypeKHR,CooperativeMatrixKHR:SPV_KHR_bfloat16
 PoisonFreezeKHR=5156::SPV_KHR_poison_freeze GroupNonUniformPartitionedEXT=5297::SPV_NV_shader_subgroup_partitioned
 UniformTexelBufferArrayDynamicIndexing=5304:SampledBuffer:SPV_EXT_descriptor_indexing
 UniformTexelBufferArrayNonUniformIndexing=5311:SampledBuffer,ShaderNonUniform:SPV_EXT_descriptor_indexing
 VulkanMemoryModel=5345::SPV_KHR_vulkan_memory_model VulkanMemoryModelDeviceScope=5346::SPV_KHR_vulkan_memory_model
 SubgroupShuffleINTEL=5568::SPV_INTEL_subgroups SubgroupBufferBlockIOINTEL=5569::SPV_INTEL_subgroups
 SubgroupImageBlockIOINTEL=5570::SPV_INTEL_subgroups RoundToInfinityINTEL=5582::SPV_INTEL_float_controls2
 FloatingPointModeINTEL=5583::SPV_INTEL_float_controls2 IntegerFunctions2INTEL=5584::SPV_INTEL_shader_integer_functions2
 FunctionPointersINTEL=5603::SPV_INTEL_function_pointers IndirectReferencesINTEL=5604::SPV_INTEL_function_pointers
 AsmINTEL=5606::SPV_INTEL_inline_assembly AtomicFloat32MinMaxEXT=5612::SPV_EXT_shader_atomic_float_min_max
 AtomicFloat64MinMaxEXT=5613::SPV_EXT_shader_atomic_float_min_max
 AtomicFloat16MinMaxEXT=5616::SPV_EXT_shader_atomic_float_min_max ExpectAssumeKHR=5629::SPV_KHR_expect_assume
 FunctionFloatControlINTEL=5821::SPV_INTEL_float_controls2 FPFastMathModeINTEL=5837:Kernel:SPV_INTEL_fp_fast_math_mode
 UnstructuredLoopControlsINTEL=5886::SPV_INTEL_unstructured_loop_controls
 KernelAttributesINTEL=5892::SPV_INTEL_kernel_attributes MemoryAccessAliasingINTEL=5910::SPV_INTEL_memory_access_aliasing
 DotProductInputAll=6016::SPV_KHR_integer_dot_product DotProductInput4x8Bit=6017:Int8:SPV_KHR_integer_dot_product
 DotProductInput4x8BitPacked=6018::SPV_KHR_integer_dot_product DotProduct=6019::SPV_KHR_integer_dot_product
 CooperativeMatrixKHR=6022::SPV_KHR_cooperative_matrix ReplicatedCompositesEXT=6024::SPV_EXT_replicated_composites
 BitInstructions=6025::SPV_KHR_bit_instructions GroupNonUniformRotateKHR=6026:GroupNonUniform:SPV_KHR_subgroup_rotate
 FloatControls2=6029::SPV_KHR_float_controls2 FMAKHR=6030::SPV_KHR_fma AtomicFloat32AddEXT=6033::SPV_EXT_shader_atomic_float_add
 AtomicFloat64AddEXT=6034::SPV_EXT_shader_atomic_float_add LongCompositesINTEL=6089::SPV_INTEL_long_composites
 OptNoneEXT=6094::SPV_INTEL_optnone AtomicFloat16AddEXT=6095::SPV_EXT_shader_atomic_float16_add
 BFloat16ConversionINTEL=6115::SPV_INTEL_bfloat16_conversion SplitBarrierEXT=6141::SPV_INTEL_split_barrier
 ArithmeticFenceEXT=6144::SPV_EXT_arithmetic_fence FPMaxErrorINTEL=6169::SPV_INTEL_fp_max_error
 SubgroupBufferPrefetchINTEL=6220::SPV_INTEL_subgroup_buffer_prefetch Subgroup2DBlockIOINTEL=6228::SPV_INTEL_2d_block_io
 Subgroup2DBlockTransformINTEL=6229:Subgroup2DBlockIOINTEL:SPV_INTEL_2d_block_io
 Subgroup2DBlockTransposeINTEL=6230:Subgroup2DBlockIOINTEL:SPV_INTEL_2d_block_io
 SubgroupMatrixMultiplyAccumulateINTEL=6236::SPV_INTEL_subgroup_matrix_multiply_accumulate
 TernaryBitwiseFunctionINTEL=6241::SPV_INTEL_ternary_bitwise_function PredicatedIOINTEL=6257::SPV_INTEL_predicated_io
 RoundedDivideSqrtINTEL=6265::SPV_INTEL_rounded_divide_sqrt GroupUniformArithmeticKHR=6400::SPV_KHR_uniform_group_instructions
 TensorFloat32RoundingINTEL=6425::SPV_INTEL_tensor_float32_conversion
 MaskedGatherScatterINTEL=6427::SPV_INTEL_masked_gather_scatter CacheControlsINTEL=6441::SPV_INTEL_cache_controls
 RegisterLimitsINTEL=6460::SPV_INTEL_maximum_registers
CooperativeMatrixLayout ValueEnum
 RowMajorKHR=0 ColumnMajorKHR=1
CooperativeMatrixOperands BitEnum
 NoneKHR=0 MatrixASignedComponentsKHR=1 MatrixBSignedComponentsKHR=2 MatrixCSignedComponentsKHR=4
 MatrixResultSignedComponentsKHR=8 SaturatingAccumulationKHR=16
CooperativeMatrixUse ValueEnum
 MatrixAKHR=0 MatrixBKHR=1 MatrixAccumulatorKHR=2
Decoration ValueEnum
 SpecId=1:N:Kernel RowMajor=4::Matrix ColMajor=5::Matrix MatrixStride=7:N:Matrix CPacked=10::Kernel BuiltIn=11:BuiltIn
 Restrict=19 Aliased=20 Volatile=21 Constant=22::Kernel Coherent=23 NonWritable=24 NonReadable=25 Uniform=26::Shader
 UniformId=27:I:Shader SaturatedConversion=28::Kernel FuncParamAttr=38:FunctionParameterAttribute:Kernel
 FPRoundingMode=39:FPRoundingMode FPFastMathMode=40:FPFastMathMode:Kernel LinkageAttributes=41:S,LinkageType:Linkage
 Alignment=44:N:Kernel MaxByteOffset=45:N:Addresses AlignmentId=46:I:Kernel MaxByteOffsetId=47:I:Addresses
 SaturatedToLargestFloat8NormalConversionEXT=4216::Float8EXT NoSignedWrap=4469 NoUnsignedWrap=4470
 ReferencedIndirectlyINTEL=5602::IndirectReferencesINTEL ClobberINTEL=5607:S:AsmINTEL SideEffectsINTEL=5608::AsmINTEL
 CounterBuffer=5634:I UserSemantic=5635:S FunctionRoundingModeINTEL=5822:N,FPRoundingMode:FunctionFloatControlINTEL
 FunctionDenormModeINTEL=5823:N,FPDenormMode:FunctionFloatControlINTEL AliasScopeINTEL=5914:I:MemoryAccessAliasingINTEL
 NoAliasINTEL=5915:I:MemoryAccessAliasingINTEL FunctionFloatingPointModeINTEL=6080:N,FPOperationMode:FunctionFloatControlINTEL
 FPMaxErrorDecorationINTEL=6170:F:FPMaxErrorINTEL CacheControlLoadINTEL=6442:N,LoadCacheControl:CacheControlsINTEL
 CacheControlStoreINTEL=6443:N,StoreCacheControl:CacheControlsINTEL
Dim ValueEnum
 1D=0::Sampled1D 2D=1 3D=2 Buffer=5::SampledBuffer
ExecutionMode ValueEnum
 LocalSize=17:N,N,N LocalSizeHint=18:N,N,N:Kernel VecTypeHint=30:N:Kernel ContractionOff=31::Kernel Initializer=33::Kernel
 Finalizer=34::Kernel SubgroupSize=35:N:SubgroupDispatch SubgroupsPerWorkgroup=36:N:SubgroupDispatch
 SubgroupsPerWorkgroupId=37:I:SubgroupDispatch LocalSizeId=38:I,I,I LocalSizeHintId=39:I,I,I:Kernel
 DenormPreserve=4459:N:DenormPreserve DenormFlushToZero=4460:N:DenormFlushToZero
 SignedZeroInfNanPreserve=4461:N:SignedZeroInfNanPreserve RoundingModeRTE=4462:N:RoundingModeRTE
 RoundingModeRTZ=4463:N:RoundingModeRTZ ArithmeticPoisonKHR=5157::PoisonFreezeKHR
 RoundingModeRTPINTEL=5620:N:RoundToInfinityINTEL RoundingModeRTNINTEL=5621:N:RoundToInfinityINTEL
 FloatingPointModeALTINTEL=5622:N:RoundToInfinityINTEL FloatingPointModeIEEEINTEL=5623:N:RoundToInfinityINTEL
 MaxWorkgroupSizeINTEL=5893:N,N,N:KernelAttributesINTEL MaxWorkDimINTEL=5894:N:KernelAttributesINTEL
 NoGlobalOffsetINTEL=5895::KernelAttributesINTEL FPFastMathDefault=6028:I,I:FloatControls2
 MaximumRegistersINTEL=6461:N:RegisterLimitsINTEL MaximumRegistersIdINTEL=6462:I:RegisterLimitsINTEL
 NamedMaximumRegistersINTEL=6463:NamedMaximumNumberOfRegisters:RegisterLimitsINTEL
ExecutionModel ValueEnum
 Kernel=6::Kernel
FPDenormMode ValueEnum
 Preserve=0::FunctionFloatControlINTEL FlushToZero=1::FunctionFloatControlINTEL
FPEncoding ValueEnum
 BFloat16KHR=0::BFloat16TypeKHR Float8E4M3EXT=4214::Float8EXT Float8E5M2EXT=4215::Float8EXT Float6E2M3EXT=4223::Float6EXT
 Float6E3M2EXT=4224::Float6EXT Float4E2M1EXT=4225::Float4EXT Float8UnsignedE8M0EXT=4226::Float8UnsignedE8M0EXT
 MXInt8EXT=4227::MXInt8EXT
FPFastMathMode BitEnum
 None=0 NotNaN=1 NotInf=2 NSZ=4 AllowRecip=8 Fast=16 AllowContract=65536::FloatControls2 AllowReassoc=131072::FloatControls2
 AllowTransform=262144::FloatControls2
FPOperationMode ValueEnum
 IEEE=0::FunctionFloatControlINTEL ALT=1::FunctionFloatControlINTEL
FPRoundingMode ValueEnum
 RTE=0 RTZ=1 RTP=2 RTN=3
FunctionControl BitEnum
 None=0 Inline=1 DontInline=2 Pure=4 Const=8 OptNoneEXT=65536::OptNoneEXT
FunctionParameterAttribute ValueEnum
 Zext=0::Kernel Sext=1::Kernel ByVal=2::Kernel Sret=3::Kernel NoAlias=4::Kernel NoCapture=5::Kernel NoWrite=6::Kernel
 NoReadWrite=7::Kernel
GroupOperation ValueEnum
 Reduce=0::Kernel InclusiveScan=1::Kernel ExclusiveScan=2::Kernel ClusteredReduce=3::GroupNonUniformClustered
 PartitionedReduceEXT=6::GroupNonUniformPartitionedEXT PartitionedInclusiveScanEXT=7::GroupNonUniformPartitionedEXT
 PartitionedExclusiveScanEXT=8::GroupNonUniformPartitionedEXT
HostAccessQualifier ValueEnum
ImageFormat ValueEnum
 Unknown=0 R64ui=40::Int64ImageEXT R64i=41::Int64ImageEXT
InitializationModeQualifier ValueEnum
LinkageType ValueEnum
 Export=0::Linkage Import=1::Linkage LinkOnceODR=2::Linkage
LoadCacheControl ValueEnum
 UncachedINTEL=0::CacheControlsINTEL CachedINTEL=1::CacheControlsINTEL StreamingINTEL=2::CacheControlsINTEL
 InvalidateAfterReadINTEL=3::CacheControlsINTEL ConstCachedINTEL=4::CacheControlsINTEL
LoopControl BitEnum
 None=0 Unroll=1 DontUnroll=2 DependencyInfinite=4 DependencyLength=8:N MinIterations=16:N MaxIterations=32:N
 IterationMultiple=64:N PeelCount=128:N PartialCount=256:N
MatrixMultiplyAccumulateOperands BitEnum
 None=0 MatrixASignedComponentsINTEL=1 MatrixBSignedComponentsINTEL=2 MatrixCBFloat16INTEL=4 MatrixResultBFloat16INTEL=8
 MatrixAPackedInt8INTEL=16 MatrixBPackedInt8INTEL=32 MatrixAPackedInt4INTEL=64 MatrixBPackedInt4INTEL=128 MatrixATF32INTEL=256
 MatrixBTF32INTEL=512 MatrixAPackedFloat16INTEL=1024 MatrixBPackedFloat16INTEL=2048 MatrixAPackedBFloat16INTEL=4096
 MatrixBPackedBFloat16INTEL=8192
MemoryAccess BitEnum
 None=0 Volatile=1 Aligned=2:N Nontemporal=4 MakePointerAvailable=8:I:VulkanMemoryModel
 MakePointerVisible=16:I:VulkanMemoryModel NonPrivatePointer=32::VulkanMemoryModel
 AliasScopeINTELMask=65536:I:MemoryAccessAliasingINTEL NoAliasINTELMask=131072:I:MemoryAccessAliasingINTEL
MemoryModel ValueEnum
 OpenCL=2::Kernel Vulkan=3::VulkanMemoryModel
MemorySemantics BitEnum
 Relaxed=0 Acquire=2 Release=4 AcquireRelease=8 SequentiallyConsistent=16 SubgroupMemory=128 WorkgroupMemory=256
 CrossWorkgroupMemory=512 ImageMemory=2048 OutputMemory=4096::VulkanMemoryModel MakeAvailable=8192::VulkanMemoryModel
 MakeVisible=16384::VulkanMemoryModel Volatile=32768::VulkanMemoryModel
NamedMaximumNumberOfRegisters ValueEnum
 AutoINTEL=0::RegisterLimitsINTEL
PackedVectorFormat ValueEnum
 PackedVectorFormat4x8Bit=0
SamplerAddressingMode ValueEnum
 None=0 ClampToEdge=1 Clamp=2 Repeat=3 RepeatMirrored=4
SamplerFilterMode ValueEnum
 Nearest=0 Linear=1
Scope ValueEnum
 CrossDevice=0 Device=1 Workgroup=2 Subgroup=3 Invocation=4 QueueFamily=5::VulkanMemoryModel
SelectionControl BitEnum
 None=0 Flatten=1 DontFlatten=2
SourceLanguage ValueEnum
 Unknown=0 ESSL=1 GLSL=2 OpenCL_C=3 OpenCL_CPP=4 HLSL=5 CPP_for_OpenCL=6 SYCL=7 HERO_C=8 NZSL=9 WGSL=10 Slang=11 Zig=12 Rust=13
 Pred=14 ApilaJai=15
StorageClass ValueEnum
 UniformConstant=0 Input=1 Workgroup=4 CrossWorkgroup=5 Function=7 Generic=8::GenericPointer Image=11
 CodeSectionINTEL=5605::FunctionPointersINTEL
StoreCacheControl ValueEnum
 UncachedINTEL=0::CacheControlsINTEL WriteThroughINTEL=1::CacheControlsINTEL WriteBackINTEL=2::CacheControlsINTEL
 StreamingINTEL=3::CacheControlsINTEL
"""

# alias=name of instructions and enumerants.
ALIASES = """\
SDotKHR=SDot UDotKHR=UDot SUDotKHR=SUDot SDotAccSatKHR=SDotAccSat UDotAccSatKHR=UDotAccSat SUDotAccSatKHR=SUDotAccSat
ControlBarrierArriveINTEL=ControlBarrierArriveEXT ControlBarrierWaitINTEL=ControlBarrierWaitEXT SubgroupEqMaskKHR=SubgroupEqMask
SubgroupGeMaskKHR=SubgroupGeMask SubgroupGtMaskKHR=SubgroupGtMask SubgroupLeMaskKHR=SubgroupLeMask
SubgroupLtMaskKHR=SubgroupLtMask UniformTexelBufferArrayDynamicIndexingEXT=UniformTexelBufferArrayDynamicIndexing
UniformTexelBufferArrayNonUniformIndexingEXT=UniformTexelBufferArrayNonUniformIndexing VulkanMemoryModelKHR=VulkanMemoryModel
VulkanMemoryModelDeviceScopeKHR=VulkanMemoryModelDeviceScope DotProductInputAllKHR=DotProductInputAll
DotProductInput4x8BitKHR=DotProductInput4x8Bit DotProductInput4x8BitPackedKHR=DotProductInput4x8BitPacked
DotProductKHR=DotProduct tNoneINTEL=tNoneEXT SplitBarrierINTEL=SplitBarrierEXT AllowContractFastINTEL=AllowContract
AllowReassocINTEL=AllowReassoc tNoneINTEL=tNoneEXT MakePointerAvailableKHR=MakePointerAvailable
MakePointerVisibleKHR=MakePointerVisible NonPrivatePointerKHR=NonPrivatePointer VulkanKHR=Vulkan None=Relaxed
OutputMemoryKHR=OutputMemory MakeAvailableKHR=MakeAvailable MakeVisibleKHR=MakeVisible
PackedVectorFormat4x8BitKHR=PackedVectorFormat4x8Bit QueueFamilyKHR=QueueFamily
"""

# name=number of the extended instructions of OpenCL.std.
OPENCL_STD = """\
acos=0 acosh=1 acospi=2 asin=3 asinh=4 asinpi=5 atan=6 atan2=7 atanh=8 atanpi=9 atan2pi=10 cbrt=11 ceil=12 copysign=13 cos=14
cosh=15 cospi=16 erfc=17 erf=18 exp=19 exp2=20 exp10=21 expm1=22 fabs=23 fdim=24 floor=25 fma=26 fmax=27 fmin=28 fmod=29
fract=30 frexp=31 hypot=32 ilogb=33 ldexp=34 lgamma=35 lgamma_r=36 log=37 log2=38 log10=39 log1p=40 logb=41 mad=42 maxmag=43
minmag=44 modf=45 nan=46 nextafter=47 pow=48 pown=49 powr=50 remainder=51 remquo=52 rint=53 rootn=54 round=55 rsqrt=56 sin=57
sincos=58 sinh=59 sinpi=60 sqrt=61 tan=62 tanh=63 tanpi=64 tgamma=65 trunc=66 half_cos=67 half_divide=68 half_exp=69
half_exp2=70 half_exp10=71 half_log=72 half_log2=73 half_log10=74 half_powr=75 half_recip=76 half_rsqrt=77 half_sin=78
half_sqrt=79 half_tan=80 native_cos=81 native_divide=82 native_exp=83 native_exp2=84 native_exp10=85 native_log=86
native_log2=87 native_log10=88 native_powr=89 native_recip=90 native_rsqrt=91 native_sin=92 native_sqrt=93 native_tan=94
fclamp=95 degrees=96 fmax_common=97 fmin_common=98 mix=99 radians=100 step=101 smoothstep=102 sign=103 cross=104 distance=105
length=106 normalize=107 fast_distance=108 fast_length=109 fast_normalize=110 s_abs=141 s_abs_diff=142 s_add_sat=143
u_add_sat=144 s_hadd=145 u_hadd=146 s_rhadd=147 u_rhadd=148 s_clamp=149 u_clamp=150 clz=151 ctz=152 s_mad_hi=153 u_mad_sat=154
s_mad_sat=155 s_max=156 u_max=157 s_min=158 u_min=159 s_mul_hi=160 rotate=161 s_sub_sat=162 u_sub_sat=163 u_upsample=164
s_upsample=165 popcount=166 s_mad24=167 u_mad24=168 s_mul24=169 u_mul24=170 vloadn=171 vstoren=172 vload_half=173
vload_halfn=174 vstore_half=175 vstore_half_r=176 vstore_halfn=177 vstore_halfn_r=178 vloada_halfn=179 vstorea_halfn=180
vstorea_halfn_r=181 shuffle=182 shuffle2=183 printf=184 prefetch=185 bitselect=186 select=187 u_abs=201 u_abs_diff=202
u_mul_hi=203 u_mad_hi=204
"""
