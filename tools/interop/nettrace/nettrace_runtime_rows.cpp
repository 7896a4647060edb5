#include "tools/interop/nettrace/nettrace_manifest_rows.hpp"

namespace ringside::tool::nettrace {
namespace {

constexpr ManifestRow kRuntimeRows[] = {
    {1, 0, 1, "GCStart", "Count:4 Reason:4"},
    {1, 1, 1, "GCStart",
     "Count:4 Depth:4 Reason:4 Type:4 ClrInstanceID:2 | ClientSequenceNumber:8"},
    {2, 0, 2, "GCEnd", "Count:4 Depth:2"},
    {2, 1, 2, "GCEnd", "Count:4 Depth:4 ClrInstanceID:2"},
    {3, 0, 132, "GCRestartEEEnd", "| ClrInstanceID:2"},
    {4, 0, 133, "GCHeapStats",
     "GenerationSize0:8 TotalPromotedSize0:8 GenerationSize1:8 TotalPromotedSize1:8 "
     "GenerationSize2:8 TotalPromotedSize2:8 GenerationSize3:8 TotalPromotedSize3:8 "
     "FinalizationPromotedSize:8 FinalizationPromotedCount:8 PinnedObjectCount:4 SinkBlockCount:4 "
     "GCHandleCount:4 | ClrInstanceID:2 | GenerationSize4:8 TotalPromotedSize4:8"},
    {5, 0, 134, "GCCreateSegment", "Address:8 Size:8 Type:4 | ClrInstanceID:2"},
    {6, 0, 135, "GCFreeSegment", "Address:8 | ClrInstanceID:2"},
    {7, 0, 136, "GCRestartEEBegin", "| ClrInstanceID:2"},
    {8, 0, 137, "GCSuspendEEEnd", "| ClrInstanceID:2"},
    {9, 0, 10, "GCSuspendEEBegin", "Reason:2"},
    {9, 1, 10, "GCSuspendEEBegin", "Reason:4 Count:4 ClrInstanceID:2"},
    {10, 0, 11, "GCAllocationTick",
     "AllocationAmount:4 AllocationKind:4 | ClrInstanceID:2 | AllocationAmount64:8 TypeID:p "
     "TypeName:s HeapIndex:4 | Address:p | ObjectSize:8"},
    {11, 0, 12, "GCCreateConcurrentThread", "| ClrInstanceID:2"},
    {12, 0, 13, "GCTerminateConcurrentThread", "| ClrInstanceID:2"},
    {13, 0, 15, "GCFinalizersEnd", "Count:4 | ClrInstanceID:2"},
    {14, 0, 19, "GCFinalizersBegin", "| ClrInstanceID:2"},
    {15, 0, 10, "BulkType",
     "Count:4 ClrInstanceID:2 Values{TypeID:8 ModuleID:8 TypeNameID:4 Flags:4 CorElementType:1 "
     "Name:s TypeParameterCount:4 TypeParameters:8[TypeParameterCount]}[Count]"},
    {16, 0, 20, "GCBulkRootEdge",
     "Index:4 Count:4 ClrInstanceID:2 Values{RootedNodeAddress:p GCRootKind:1 GCRootFlag:4 "
     "GCRootID:p}[Count]"},
    {17, 0, 21, "GCBulkRootConditionalWeakTableElementEdge",
     "Index:4 Count:4 ClrInstanceID:2 Values{GCKeyNodeID:p GCValueNodeID:p GCRootID:p}[Count]"},
    {18, 0, 22, "GCBulkNode",
     "Index:4 Count:4 ClrInstanceID:2 Values{Address:p Size:8 TypeID:8 EdgeCount:8}[Count]"},
    {19, 0, 23, "GCBulkEdge",
     "Index:4 Count:4 ClrInstanceID:2 Values{Value:p ReferencingFieldID:4}[Count]"},
    {20, 0, 24, "GCSampledObjectAllocationHigh",
     "Address:p TypeID:p ObjectCountForTypeSample:4 TotalSizeForTypeSample:8 ClrInstanceID:2"},
    {21, 0, 25, "GCBulkSurvivingObjectRanges",
     "Index:4 Count:4 ClrInstanceID:2 Values{RangeBase:p RangeLength:8}[Count]"},
    {22, 0, 26, "GCBulkMovedObjectRanges",
     "Index:4 Count:4 ClrInstanceID:2 Values{OldRangeBase:p NewRangeBase:p RangeLength:8}[Count]"},
    {23, 0, 27, "GCGenerationRange",
     "Generation:1 RangeStart:p RangeUsedLength:8 RangeReservedLength:8 ClrInstanceID:2"},
    {25, 0, 28, "GCMarkStackRoots", "HeapNum:4 ClrInstanceID:2"},
    {26, 0, 29, "GCMarkFinalizeQueueRoots", "HeapNum:4 ClrInstanceID:2"},
    {27, 0, 30, "GCMarkHandles", "HeapNum:4 ClrInstanceID:2"},
    {28, 0, 31, "GCMarkOlderGenerationRoots", "HeapNum:4 ClrInstanceID:2"},
    {29, 0, 32, "FinalizeObject", "TypeID:p ObjectID:p ClrInstanceID:2"},
    {30, 0, 33, "SetGCHandle",
     "HandleID:p ObjectID:p Kind:4 Generation:4 AppDomainID:8 ClrInstanceID:2"},
    {31, 0, 34, "DestroyGCHandle", "HandleID:p ClrInstanceID:2"},
    {32, 0, 24, "GCSampledObjectAllocationLow",
     "Address:p TypeID:p ObjectCountForTypeSample:4 TotalSizeForTypeSample:8 ClrInstanceID:2"},
    {33, 0, 36, "PinObjectAtGCTime",
     "HandleID:p ObjectID:p ObjectSize:8 TypeName:s ClrInstanceID:2"},
    {35, 0, 35, "GCTriggered", "Reason:4 ClrInstanceID:2"},
    {36, 0, 38, "GCBulkRootCCW",
     "Count:4 ClrInstanceID:2 Values{GCRootID:8 ObjectID:8 TypeID:8 IUnknown:8 RefCount:4 "
     "PeggedRefCount:4 Flags:4}[Count]"},
    {37, 0, 39, "GCBulkRCW",
     "Count:4 ClrInstanceID:2 Values{ObjectID:8 TypeID:8 IUnknown:8 VTable:8 RefCount:4 "
     "Flags:4}[Count]"},
    {38, 0, 40, "GCBulkRootStaticVar",
     "Count:4 AppDomainID:8 ClrInstanceID:2 Values{GCRootID:8 ObjectID:8 TypeID:8 Flags:4 "
     "FieldName:s}[Count]"},
    {39, 0, 41, "GCDynamicEvent", "Name:s DataSize:4 Data:x[DataSize] ClrInstanceID:2"},
    {40, 0, 1, "WorkerThreadCreate", "WorkerThreadCount:4 RetiredWorkerThreads:4"},
    {41, 0, 2, "WorkerThreadTerminate", "WorkerThreadCount:4 RetiredWorkerThreads:4"},
    {42, 0, 1, "WorkerThreadRetire", "WorkerThreadCount:4 RetiredWorkerThreads:4"},
    {43, 0, 2, "WorkerThreadUnretire", "WorkerThreadCount:4 RetiredWorkerThreads:4"},
    {44, 0, 1, "IOThreadCreate", "IOThreadCount:4 RetiredIOThreads:4 | ClrInstanceID:2"},
    {45, 0, 2, "IOThreadTerminate", "IOThreadCount:4 RetiredIOThreads:4 | ClrInstanceID:2"},
    {46, 0, 1, "IOThreadRetire", "IOThreadCount:4 RetiredIOThreads:4 | ClrInstanceID:2"},
    {47, 0, 2, "IOThreadUnretire", "IOThreadCount:4 RetiredIOThreads:4 | ClrInstanceID:2"},
    {48, 0, 1, "ThreadpoolSuspensionSuspendThread", "ClrThreadID:4 CpuUtilization:4"},
    {49, 0, 2, "ThreadpoolSuspensionResumeThread", "ClrThreadID:4 CpuUtilization:4"},
    {50, 0, 1, "ThreadPoolWorkerThreadStart",
     "ActiveWorkerThreadCount:4 RetiredWorkerThreadCount:4 ClrInstanceID:2"},
    {51, 0, 2, "ThreadPoolWorkerThreadStop",
     "ActiveWorkerThreadCount:4 RetiredWorkerThreadCount:4 ClrInstanceID:2"},
    {52, 0, 1, "ThreadPoolWorkerThreadRetirementStart",
     "ActiveWorkerThreadCount:4 RetiredWorkerThreadCount:4 ClrInstanceID:2"},
    {53, 0, 2, "ThreadPoolWorkerThreadRetirementStop",
     "ActiveWorkerThreadCount:4 RetiredWorkerThreadCount:4 ClrInstanceID:2"},
    {54, 0, 100, "ThreadPoolWorkerThreadAdjustmentSample", "Throughput:d ClrInstanceID:2"},
    {55, 0, 101, "ThreadPoolWorkerThreadAdjustmentAdjustment",
     "AverageThroughput:d NewWorkerThreadCount:4 Reason:4 ClrInstanceID:2"},
    {56, 0, 102, "ThreadPoolWorkerThreadAdjustmentStats",
     "Duration:d Throughput:d ThreadWave:d ThroughputWave:d ThroughputErrorEstimate:d "
     "AverageThroughputErrorEstimate:d ThroughputRatio:d Confidence:d NewControlSetting:d "
     "NewThreadWaveMagnitude:2 ClrInstanceID:2"},
    {57, 0, 90, "ThreadPoolWorkerThreadWait",
     "ActiveWorkerThreadCount:4 RetiredWorkerThreadCount:4 ClrInstanceID:2"},
    {58, 0, 0, "YieldProcessorMeasurement", "ClrInstanceID:2 NsPerYield:d EstablishedNsPerYield:d"},
    {59, 0, 0, "ThreadPoolMinMaxThreads",
     "MinWorkerThreads:2 MaxWorkerThreads:2 MinIOCompletionThreads:2 MaxIOCompletionThreads:2 "
     "ClrInstanceID:2"},
    {60, 0, 1, "ThreadPoolWorkingThreadCount", "Count:4 ClrInstanceID:2"},
    {61, 0, 11, "ThreadPoolEnqueue", "WorkID:p ClrInstanceID:2"},
    {62, 0, 12, "ThreadPoolDequeue", "WorkID:p ClrInstanceID:2"},
    {63, 0, 13, "ThreadPoolIOEnqueue",
     "NativeOverlapped:p Overlapped:p MultiDequeues:b ClrInstanceID:2"},
    {64, 0, 14, "ThreadPoolIODequeue", "NativeOverlapped:p Overlapped:p ClrInstanceID:2"},
    {65, 0, 15, "ThreadPoolIOPack", "NativeOverlapped:p Overlapped:p ClrInstanceID:2"},
    {70, 0, 11, "ThreadCreating", "ID:p ClrInstanceID:2"},
    {71, 0, 12, "ThreadRunning", "ID:p ClrInstanceID:2"},
    {72, 0, 43, "MethodDetails",
     "MethodID:8 TypeID:8 MethodToken:4 TypeParameterCount:4 LoaderModuleID:8 "
     "TypeParameters:8[TypeParameterCount]"},
    {73, 0, 1, "TypeLoadStart", "TypeLoadStartID:4 ClrInstanceID:2"},
    {74, 0, 2, "TypeLoadStop", "TypeLoadStartID:4 ClrInstanceID:2 LoadLevel:2 TypeID:8 TypeName:s"},
    {80, 0, 1, "ExceptionThrown",
     "| ExceptionType:s ExceptionMessage:s ExceptionEIP:p ExceptionHRESULT:4 ExceptionFlags:2 "
     "ClrInstanceID:2"},
    {81, 0, 1, "Contention", ""},
    {81, 1, 1, "ContentionStart",
     "ContentionFlags:1 ClrInstanceID:2 | LockID:p AssociatedObjectID:p LockOwnerThreadID:8"},
    {82, 0, 82, "CLRStackWalk",
     "ClrInstanceID:2 Reserved1:1 Reserved2:1 FrameCount:4 Stack:p[FrameCount]"},
    {83, 0, 48, "AppDomainMemAllocated", "AppDomainID:8 Allocated:8 ClrInstanceID:2"},
    {84, 0, 49, "AppDomainMemSurvived",
     "AppDomainID:8 Survived:8 ProcessSurvived:8 ClrInstanceID:2"},
    {85, 0, 50, "ThreadCreated",
     "ManagedThreadID:8 AppDomainID:8 Flags:4 ManagedThreadIndex:4 OSThreadID:4 ClrInstanceID:2"},
    {86, 0, 51, "ThreadTerminated", "ManagedThreadID:8 AppDomainID:8 ClrInstanceID:2"},
    {87, 0, 52, "ThreadDomainEnter", "ManagedThreadID:8 AppDomainID:8 ClrInstanceID:2"},
    {88, 0, 88, "ILStubGenerated",
     "ClrInstanceID:2 ModuleID:8 StubMethodID:8 StubFlags:4 ManagedInteropMethodToken:4 "
     "ManagedInteropMethodNamespace:s ManagedInteropMethodName:s ManagedInteropMethodSignature:s "
     "NativeMethodSignature:s StubMethodSignature:s StubMethodILCode:s"},
    {89, 0, 89, "ILStubCacheHit",
     "ClrInstanceID:2 ModuleID:8 StubMethodID:8 ManagedInteropMethodToken:4 "
     "ManagedInteropMethodNamespace:s ManagedInteropMethodName:s ManagedInteropMethodSignature:s"},
    {90, 0, 11, "ContentionLockCreated", "LockID:p AssociatedObjectID:p ClrInstanceID:2"},
    {91, 0, 2, "ContentionStop", "ContentionFlags:1 ClrInstanceID:2 | DurationNs:d"},
    {135, 0, 14, "DCStartCompleteV2", ""},
    {136, 0, 15, "DCEndCompleteV2", ""},
    {137, 0, 35, "MethodDCStartV2",
     "MethodID:8 ModuleID:8 MethodStartAddress:8 MethodSize:4 MethodToken:4 MethodFlags:4"},
    {138, 0, 36, "MethodDCEndV2",
     "MethodID:8 ModuleID:8 MethodStartAddress:8 MethodSize:4 MethodToken:4 MethodFlags:4"},
    {139, 0, 39, "MethodDCStartVerboseV2",
     "MethodID:8 ModuleID:8 MethodStartAddress:8 MethodSize:4 MethodToken:4 MethodFlags:4 "
     "MethodNamespace:s MethodName:s MethodSignature:s"},
    {140, 0, 40, "MethodDCEndVerboseV2",
     "MethodID:8 ModuleID:8 MethodStartAddress:8 MethodSize:4 MethodToken:4 MethodFlags:4 "
     "MethodNamespace:s MethodName:s MethodSignature:s"},
    {141, 0, 33, "MethodLoad",
     "MethodID:8 ModuleID:8 MethodStartAddress:8 MethodSize:4 MethodToken:4 MethodFlags:4 | "
     "ClrInstanceID:2 | ReJITID:8"},
    {142, 0, 34, "MethodUnload",
     "MethodID:8 ModuleID:8 MethodStartAddress:8 MethodSize:4 MethodToken:4 MethodFlags:4 | "
     "ClrInstanceID:2 | ReJITID:8"},
    {143, 0, 37, "MethodLoadVerbose",
     "MethodID:8 ModuleID:8 MethodStartAddress:8 MethodSize:4 MethodToken:4 MethodFlags:4 "
     "MethodNamespace:s MethodName:s MethodSignature:s | ClrInstanceID:2 | ReJITID:8"},
    {144, 0, 38, "MethodUnloadVerbose",
     "MethodID:8 ModuleID:8 MethodStartAddress:8 MethodSize:4 MethodToken:4 MethodFlags:4 "
     "MethodNamespace:s MethodName:s MethodSignature:s | ClrInstanceID:2 | ReJITID:8"},
    {145, 0, 42, "MethodJittingStarted",
     "MethodID:8 ModuleID:8 MethodToken:4 MethodILSize:4 MethodNamespace:s MethodName:s "
     "MethodSignature:s | ClrInstanceID:2"},
    {146, 0, 103, "MethodJitMemoryAllocatedForCode",
     "MethodID:8 ModuleID:8 JitHotCodeRequestSize:8 JitRODataRequestSize:8 "
     "AllocatedSizeForJitCode:8 JitAllocFlag:4 ClrInstanceID:2"},
    {149, 0, 35, "ModuleDCStartV2",
     "ModuleID:8 AssemblyID:8 ModuleFlags:4 Reserved1:4 ModuleILPath:s ModuleNativePath:s"},
    {150, 0, 36, "ModuleDCEndV2",
     "ModuleID:8 AssemblyID:8 ModuleFlags:4 Reserved1:4 ModuleILPath:s ModuleNativePath:s"},
    {151, 0, 45, "DomainModuleLoad",
     "ModuleID:8 AssemblyID:8 AppDomainID:8 ModuleFlags:4 Reserved1:4 ModuleILPath:s "
     "ModuleNativePath:s | ClrInstanceID:2"},
    {152, 0, 33, "ModuleLoad",
     "ModuleID:8 AssemblyID:8 ModuleFlags:4 Reserved1:4 ModuleILPath:s ModuleNativePath:s | "
     "ClrInstanceID:2 | ManagedPdbSignature:g ManagedPdbAge:4 ManagedPdbBuildPath:s "
     "NativePdbSignature:g NativePdbAge:4 NativePdbBuildPath:s | NativeBuildID:s"},
    {153, 0, 34, "ModuleUnload",
     "ModuleID:8 AssemblyID:8 ModuleFlags:4 Reserved1:4 ModuleILPath:s ModuleNativePath:s | "
     "ClrInstanceID:2 | ManagedPdbSignature:g ManagedPdbAge:4 ManagedPdbBuildPath:s "
     "NativePdbSignature:g NativePdbAge:4 NativePdbBuildPath:s"},
    {154, 0, 37, "AssemblyLoad",
     "AssemblyID:8 AppDomainID:8 AssemblyFlags:4 FullyQualifiedAssemblyName:s"},
    {154, 1, 37, "AssemblyLoad",
     "AssemblyID:8 AppDomainID:8 BindingID:8 AssemblyFlags:4 FullyQualifiedAssemblyName:s "
     "ClrInstanceID:2"},
    {155, 0, 38, "AssemblyUnload",
     "AssemblyID:8 AppDomainID:8 AssemblyFlags:4 FullyQualifiedAssemblyName:s"},
    {155, 1, 38, "AssemblyUnload",
     "AssemblyID:8 AppDomainID:8 BindingID:8 AssemblyFlags:4 FullyQualifiedAssemblyName:s "
     "ClrInstanceID:2"},
    {156, 0, 41, "AppDomainLoad",
     "AppDomainID:8 AppDomainFlags:4 AppDomainName:s | AppDomainIndex:4 ClrInstanceID:2"},
    {157, 0, 42, "AppDomainUnload",
     "AppDomainID:8 AppDomainFlags:4 AppDomainName:s | AppDomainIndex:4 ClrInstanceID:2"},
    {158, 0, 10, "ModuleRangeLoad",
     "ClrInstanceID:2 ModuleID:8 RangeBegin:4 RangeSize:4 RangeType:1"},
    {159, 0, 33, "R2RGetEntryPoint",
     "MethodID:8 MethodNamespace:s MethodName:s MethodSignature:s EntryPoint:8 ClrInstanceID:2"},
    {160, 0, 34, "R2RGetEntryPointStart", "MethodID:8 ClrInstanceID:2"},
    {181, 0, 1, "StrongNameVerificationStart",
     "VerificationFlags:4 ErrorCode:4 FullyQualifiedAssemblyName:s | ClrInstanceID:2"},
    {182, 0, 2, "StrongNameVerificationStop",
     "VerificationFlags:4 ErrorCode:4 FullyQualifiedAssemblyName:s | ClrInstanceID:2"},
    {183, 0, 1, "AuthenticodeVerificationStart",
     "VerificationFlags:4 ErrorCode:4 ModulePath:s | ClrInstanceID:2"},
    {184, 0, 2, "AuthenticodeVerificationStop",
     "VerificationFlags:4 ErrorCode:4 ModulePath:s | ClrInstanceID:2"},
    {185, 0, 83, "MethodJitInliningSucceeded",
     "MethodBeingCompiledNamespace:s MethodBeingCompiledName:s MethodBeingCompiledNameSignature:s "
     "InlinerNamespace:s InlinerName:s InlinerNameSignature:s InlineeNamespace:s InlineeName:s "
     "InlineeNameSignature:s ClrInstanceID:2"},
    {186, 0, 84, "MethodJitInliningFailedAnsi",
     "MethodBeingCompiledNamespace:s MethodBeingCompiledName:s MethodBeingCompiledNameSignature:s "
     "InlinerNamespace:s InlinerName:s InlinerNameSignature:s InlineeNamespace:s InlineeName:s "
     "InlineeNameSignature:s FailAlways:b FailReason:a ClrInstanceID:2"},
    {187, 0, 1, "RuntimeInformationStart",
     "ClrInstanceID:2 Sku:2 BclMajorVersion:2 BclMinorVersion:2 BclBuildNumber:2 BclQfeNumber:2 "
     "VMMajorVersion:2 VMMinorVersion:2 VMBuildNumber:2 VMQfeNumber:2 StartupFlags:4 StartupMode:1 "
     "CommandLine:s ComObjectGuid:g RuntimeDllPath:s"},
    {188, 0, 85, "MethodJitTailCallSucceeded",
     "MethodBeingCompiledNamespace:s MethodBeingCompiledName:s MethodBeingCompiledNameSignature:s "
     "CallerNamespace:s CallerName:s CallerNameSignature:s CalleeNamespace:s CalleeName:s "
     "CalleeNameSignature:s TailPrefix:b TailCallType:4 ClrInstanceID:2"},
    {189, 0, 86, "MethodJitTailCallFailedAnsi",
     "MethodBeingCompiledNamespace:s MethodBeingCompiledName:s MethodBeingCompiledNameSignature:s "
     "CallerNamespace:s CallerName:s CallerNameSignature:s CalleeNamespace:s CalleeName:s "
     "CalleeNameSignature:s TailPrefix:b FailReason:a ClrInstanceID:2"},
    {190, 0, 87, "MethodILToNativeMap",
     "MethodID:8 ReJITID:8 MethodExtent:1 CountOfMapEntries:2 ILOffsets:4[CountOfMapEntries] "
     "NativeOffsets:4[CountOfMapEntries] ClrInstanceID:2 | ILVersionID:8"},
    {191, 0, 86, "MethodJitTailCallFailed",
     "MethodBeingCompiledNamespace:s MethodBeingCompiledName:s MethodBeingCompiledNameSignature:s "
     "CallerNamespace:s CallerName:s CallerNameSignature:s CalleeNamespace:s CalleeName:s "
     "CalleeNameSignature:s TailPrefix:b FailReason:s ClrInstanceID:2"},
    {192, 0, 84, "MethodJitInliningFailed",
     "MethodBeingCompiledNamespace:s MethodBeingCompiledName:s MethodBeingCompiledNameSignature:s "
     "InlinerNamespace:s InlinerName:s InlinerNameSignature:s InlineeNamespace:s InlineeName:s "
     "InlineeNameSignature:s FailAlways:b FailReason:s ClrInstanceID:2"},
    {200, 0, 200, "IncreaseMemoryPressure", "BytesAllocated:8 ClrInstanceID:2"},
    {201, 0, 201, "DecreaseMemoryPressure", "BytesFreed:8 ClrInstanceID:2"},
    {202, 0, 202, "GCMarkWithType", "HeapNum:4 ClrInstanceID:2 Type:4 Bytes:8"},
    {203, 2, 203, "GCJoin", "Heap:4 JoinTime:4 JoinType:4 ClrInstanceID:2 JoinID:4"},
    {204, 3, 204, "GCPerHeapHistory",
     "ClrInstanceID:2 FreeListAllocated:p FreeListRejected:p EndOfSegAllocated:p "
     "CondemnedAllocated:p PinnedAllocated:p PinnedAllocatedAdvance:p RunningFreeListEfficiency:4 "
     "CondemnReasons0:4 CondemnReasons1:4 CompactMechanisms:4 ExpandMechanisms:4 HeapIndex:4 "
     "ExtraGen0Commit:p Count:4 Values{SizeBefore:p FreeListBefore:p FreeObjBefore:p SizeAfter:p "
     "FreeListAfter:p FreeObjAfter:p In:p PinnedSurv:p NonePinnedSurv:p NewAllocation:p}[Count]"},
    {205, 2, 205, "GCGlobalHeapHistory",
     "FinalYoungestDesired:8 NumHeaps:i CondemnedGeneration:4 Gen0ReductionCount:4 Reason:4 "
     "GlobalMechanisms:4 ClrInstanceID:2 PauseMode:4 MemoryPressure:4 | CondemnReasons0:4 "
     "CondemnReasons1:4 | Count:4 Values{Time:4}[Count]"},
    {206, 0, 206, "GenAwareBegin", "Count:4 ClrInstanceID:2"},
    {207, 0, 207, "GenAwareEnd", "Count:4 ClrInstanceID:2"},
    {208, 0, 208, "GCLOHCompact", "ClrInstanceID:2 Count:2"},
    {209, 0, 209, "GCFitBucketInfo", "ClrInstanceID:2 BucketKind:2 TotalSize:8 Count:2"},
    {240, 0, 1, "DebugIPCEventStart", ""},
    {241, 0, 2, "DebugIPCEventEnd", ""},
    {242, 0, 1, "DebugExceptionProcessingStart", ""},
    {243, 0, 2, "DebugExceptionProcessingEnd", ""},
    {250, 0, 1, "ExceptionCatchStart", "EntryEIP:8 MethodID:8 MethodName:s ClrInstanceID:2"},
    {251, 0, 2, "ExceptionCatchStop", ""},
    {252, 0, 1, "ExceptionFinallyStart", "EntryEIP:8 MethodID:8 MethodName:s ClrInstanceID:2"},
    {253, 0, 2, "ExceptionFinallyStop", ""},
    {254, 0, 1, "ExceptionFilterStart", "EntryEIP:8 MethodID:8 MethodName:s ClrInstanceID:2"},
    {255, 0, 2, "ExceptionFilterStop", ""},
    {256, 0, 2, "ExceptionThrownStop", ""},
    {260, 0, 1, "CodeSymbols",
     "ModuleId:8 TotalChunks:2 ChunkNumber:2 ChunkLength:4 Chunk:x[ChunkLength] ClrInstanceID:2"},
    {270, 0, 0, "EventSource", "EventID:i EventName:s EventSourceName:s Payload:s"},
    {280, 0, 11, "TieredCompilationSettings", "ClrInstanceID:2 Flags:4"},
    {281, 0, 12, "TieredCompilationPause", "ClrInstanceID:2"},
    {282, 0, 13, "TieredCompilationResume", "ClrInstanceID:2 NewMethodCount:4"},
    {283, 0, 1, "TieredCompilationBackgroundJitStart", "ClrInstanceID:2 PendingMethodCount:4"},
    {284, 0, 2, "TieredCompilationBackgroundJitStop",
     "ClrInstanceID:2 PendingMethodCount:4 JittedMethodCount:4"},
    {290, 0, 1, "AssemblyLoadStart",
     "ClrInstanceID:2 AssemblyName:s AssemblyPath:s RequestingAssembly:s AssemblyLoadContext:s "
     "RequestingAssemblyLoadContext:s"},
    {291, 0, 2, "AssemblyLoadStop",
     "ClrInstanceID:2 AssemblyName:s AssemblyPath:s RequestingAssembly:s AssemblyLoadContext:s "
     "RequestingAssemblyLoadContext:s Success:b ResultAssemblyName:s ResultAssemblyPath:s "
     "Cached:b"},
    {292, 0, 11, "ResolutionAttempted",
     "ClrInstanceID:2 AssemblyName:s Stage:2 AssemblyLoadContext:s Result:2 ResultAssemblyName:s "
     "ResultAssemblyPath:s ErrorMessage:s"},
    {293, 0, 12, "AssemblyLoadContextResolvingHandlerInvoked",
     "ClrInstanceID:2 AssemblyName:s HandlerName:s AssemblyLoadContext:s ResultAssemblyName:s "
     "ResultAssemblyPath:s"},
    {294, 0, 13, "AppDomainAssemblyResolveHandlerInvoked",
     "ClrInstanceID:2 AssemblyName:s HandlerName:s ResultAssemblyName:s ResultAssemblyPath:s"},
    {295, 0, 14, "AssemblyLoadFromResolveHandlerInvoked",
     "ClrInstanceID:2 AssemblyName:s IsTrackedLoad:b RequestingAssemblyPath:s "
     "ComputedRequestedAssemblyPath:s"},
    {296, 0, 15, "KnownPathProbed", "ClrInstanceID:2 FilePath:s Source:2 Result:i"},
    {297, 0, 11, "JitInstrumentationData",
     "ClrInstanceID:2 MethodFlags:4 DataSize:4 MethodID:8 Data:x[DataSize]"},
    {298, 0, 12, "JitInstrumentationDataVerbose",
     "ClrInstanceID:2 MethodFlags:4 DataSize:4 MethodID:8 ModuleID:8 MethodToken:4 "
     "MethodNamespace:s MethodName:s MethodSignature:s Data:x[DataSize]"},
    {299, 0, 11, "ProfilerMessage", "ClrInstanceID:2 Message:s"},
    {300, 0, 11, "ExecutionCheckpoint", "ClrInstanceID:2 Name:s Timestamp:j"},
    {301, 0, 1, "WaitHandleWaitStart", "WaitSource:1 AssociatedObjectID:p ClrInstanceID:2"},
    {302, 0, 2, "WaitHandleWaitStop", "ClrInstanceID:2"},
    {303, 0, 11, "AllocationSampled",
     "AllocationKind:4 ClrInstanceID:2 TypeID:p TypeName:s Address:p ObjectSize:8 "
     "SampledByteOffset:8"},
};

}  // namespace

std::span<const ManifestRow> runtime_rows() {
  return kRuntimeRows;
}

}  // namespace ringside::tool::nettrace
