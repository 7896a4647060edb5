#include "tools/interop/nettrace/nettrace_manifest_rows.hpp"

namespace ringside::tool::nettrace {
namespace {

constexpr ManifestRow kRundownRows[] = {
    {0, 0, 82, "CLRStackWalkDCStart",
     "ClrInstanceID:2 Reserved1:1 Reserved2:1 FrameCount:4 Stack:p[FrameCount]"},
    {10, 0, 10, "GCSettingsRundown",
     "HardLimit:8 LOHThreshold:8 PhysicalMemoryConfig:8 Gen0MinBudgetConfig:8 "
     "Gen0MaxBudgetConfig:8 HighMemPercentConfig:4 BitSettings:4 ClrInstanceID:2"},
    {141, 0, 35, "MethodDCStart",
     "MethodID:8 ModuleID:8 MethodStartAddress:8 MethodSize:4 MethodToken:4 MethodFlags:4 | "
     "ClrInstanceID:2 | ReJITID:8"},
    {142, 0, 36, "MethodDCEnd",
     "MethodID:8 ModuleID:8 MethodStartAddress:8 MethodSize:4 MethodToken:4 MethodFlags:4 | "
     "ClrInstanceID:2 | ReJITID:8"},
    {143, 0, 39, "MethodDCStartVerbose",
     "MethodID:8 ModuleID:8 MethodStartAddress:8 MethodSize:4 MethodToken:4 MethodFlags:4 "
     "MethodNamespace:s MethodName:s MethodSignature:s | ClrInstanceID:2 | ReJITID:8"},
    {144, 0, 40, "MethodDCEndVerbose",
     "MethodID:8 ModuleID:8 MethodStartAddress:8 MethodSize:4 MethodToken:4 MethodFlags:4 "
     "MethodNamespace:s MethodName:s MethodSignature:s | ClrInstanceID:2 | ReJITID:8"},
    {145, 0, 14, "DCStartComplete", "| ClrInstanceID:2"},
    {146, 0, 15, "DCEndComplete", "| ClrInstanceID:2"},
    {147, 0, 16, "DCStartInit", "| ClrInstanceID:2"},
    {148, 0, 17, "DCEndInit", "| ClrInstanceID:2"},
    {149, 0, 41, "MethodDCStartILToNativeMap",
     "MethodID:8 ReJITID:8 MethodExtent:1 CountOfMapEntries:2 ILOffsets:4[CountOfMapEntries] "
     "NativeOffsets:4[CountOfMapEntries] ClrInstanceID:2 | ILVersionID:8"},
    {150, 0, 42, "MethodDCEndILToNativeMap",
     "MethodID:8 ReJITID:8 MethodExtent:1 CountOfMapEntries:2 ILOffsets:4[CountOfMapEntries] "
     "NativeOffsets:4[CountOfMapEntries] ClrInstanceID:2 | ILVersionID:8"},
    {151, 0, 46, "DomainModuleDCStart",
     "ModuleID:8 AssemblyID:8 AppDomainID:8 ModuleFlags:4 Reserved1:4 ModuleILPath:s "
     "ModuleNativePath:s | ClrInstanceID:2"},
    {152, 0, 47, "DomainModuleDCEnd",
     "ModuleID:8 AssemblyID:8 AppDomainID:8 ModuleFlags:4 Reserved1:4 ModuleILPath:s "
     "ModuleNativePath:s | ClrInstanceID:2"},
    {153, 0, 35, "ModuleDCStart",
     "ModuleID:8 AssemblyID:8 ModuleFlags:4 Reserved1:4 ModuleILPath:s ModuleNativePath:s | "
     "ClrInstanceID:2 | ManagedPdbSignature:g ManagedPdbAge:4 ManagedPdbBuildPath:s "
     "NativePdbSignature:g NativePdbAge:4 NativePdbBuildPath:s | NativeBuildID:s"},
    {154, 0, 36, "ModuleDCEnd",
     "ModuleID:8 AssemblyID:8 ModuleFlags:4 Reserved1:4 ModuleILPath:s ModuleNativePath:s | "
     "ClrInstanceID:2 | ManagedPdbSignature:g ManagedPdbAge:4 ManagedPdbBuildPath:s "
     "NativePdbSignature:g NativePdbAge:4 NativePdbBuildPath:s | NativeBuildID:s"},
    {155, 0, 39, "AssemblyDCStart",
     "AssemblyID:8 AppDomainID:8 AssemblyFlags:4 FullyQualifiedAssemblyName:s"},
    {155, 1, 39, "AssemblyDCStart",
     "AssemblyID:8 AppDomainID:8 BindingID:8 AssemblyFlags:4 FullyQualifiedAssemblyName:s "
     "ClrInstanceID:2"},
    {156, 0, 40, "AssemblyDCEnd",
     "AssemblyID:8 AppDomainID:8 AssemblyFlags:4 FullyQualifiedAssemblyName:s"},
    {156, 1, 40, "AssemblyDCEnd",
     "AssemblyID:8 AppDomainID:8 BindingID:8 AssemblyFlags:4 FullyQualifiedAssemblyName:s "
     "ClrInstanceID:2"},
    {157, 0, 43, "AppDomainDCStart",
     "AppDomainID:8 AppDomainFlags:4 AppDomainName:s | AppDomainIndex:4 ClrInstanceID:2"},
    {158, 0, 44, "AppDomainDCEnd",
     "AppDomainID:8 AppDomainFlags:4 AppDomainName:s | AppDomainIndex:4 ClrInstanceID:2"},
    {159, 0, 48, "ThreadDC",
     "ManagedThreadID:8 AppDomainID:8 Flags:4 ManagedThreadIndex:4 OSThreadID:4 ClrInstanceID:2"},
    {160, 0, 10, "ModuleRangeDCStart",
     "ClrInstanceID:2 ModuleID:8 RangeBegin:4 RangeSize:4 RangeType:1"},
    {161, 0, 11, "ModuleRangeDCEnd",
     "ClrInstanceID:2 ModuleID:8 RangeBegin:4 RangeSize:4 RangeType:1"},
    {187, 0, 1, "RuntimeInformationDCStart",
     "ClrInstanceID:2 Sku:2 BclMajorVersion:2 BclMinorVersion:2 BclBuildNumber:2 BclQfeNumber:2 "
     "VMMajorVersion:2 VMMinorVersion:2 VMBuildNumber:2 VMQfeNumber:2 StartupFlags:4 StartupMode:1 "
     "CommandLine:s ComObjectGuid:g RuntimeDllPath:s"},
    {280, 0, 11, "TieredCompilationSettingsDCStart", "ClrInstanceID:2 Flags:4"},
    {300, 0, 11, "ExecutionCheckpointDCEnd", "ClrInstanceID:2 Name:s Timestamp:j"},
};

constexpr ManifestRow kStressRows[] = {
    {0, 0, 1, "StressLogEvent", "Facility:4 LogLevel:1 Message:a | ClrInstanceID:2"},
    {1, 0, 82, "CLRStackWalkStress",
     "ClrInstanceID:2 Reserved1:1 Reserved2:1 FrameCount:4 Stack:p[FrameCount]"},
};

constexpr ManifestRow kSamplerRows[] = {
    {0, 0, 0, "ThreadSample", "Type:4"},
    {1, 0, 0, "ThreadStackWalk", ""},
};

}  // namespace

std::span<const ManifestRow> rundown_rows() {
  return kRundownRows;
}

std::span<const ManifestRow> stress_rows() {
  return kStressRows;
}

std::span<const ManifestRow> sampler_rows() {
  return kSamplerRows;
}

}  // namespace ringside::tool::nettrace
