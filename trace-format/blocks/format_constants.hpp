// Constants of the trace file (README.md) that its writer and its reader share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringside::trace {

inline constexpr std::uint16_t kFormatMajor = 1;
inline constexpr std::uint16_t kFormatMinor = 8;
inline constexpr std::uint16_t kColumnsFormatMinor = 4;  // from which on packed files have columns

inline constexpr std::uint32_t kBlockMagic = 0x4B425352;  // "RSBK"
inline constexpr std::uint8_t kBlockVersion = 1;
inline constexpr std::uint16_t kBlockCritical = 1U << 0;
inline constexpr std::size_t kBlockHeaderBytes = 16;
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{1} << 26;

enum class BlockType : std::uint8_t {
  kHeader = 1,
  kDictionary = 2,
  kExtent = 3,
  kClock = 4,
  kSequencePoint = 5,
  kStackTable = 6,
  kStringTable = 7,
  kIndex = 8,
  kEnd = 9,
  kStream = 10,
  kLosses = 11,
  kCollection = 12,
  kShipped = 14,  // 13: only in packed files
  kCallCosts = 15,
};

inline constexpr std::size_t kHeaderFixedBytes = 96;
inline constexpr std::size_t kClockBytes = 40;    // without what is known of the system's clock
inline constexpr std::size_t kClockSyncEnd = 72;  // with it
inline constexpr std::size_t kStreamFixedBytes = 26;
inline constexpr std::size_t kSequencePointFixedBytes = 16;
inline constexpr std::size_t kSequencePointEntryBytes = 16;
inline constexpr std::size_t kLossesFixedBytes = 24;
inline constexpr std::size_t kLossCountBytes = 24;
inline constexpr std::size_t kCollectionStateFixedBytes = 48;
inline constexpr std::size_t kCollectedStatementBytes = 16;
inline constexpr std::size_t kCollectionChangeBytes = 36;  // without its texts
inline constexpr std::size_t kCollectionRuleBytes = 8;     // without its settings
inline constexpr std::size_t kRuleEffectsFixedBytes = 8;
inline constexpr std::size_t kRuleEffectBytes = 8;  // without its fields
inline constexpr std::size_t kShippedBytes = 32;
inline constexpr std::size_t kCallCostsFixedBytes = 32;
inline constexpr std::size_t kCostBucketBytes = 16;
inline constexpr std::size_t kIndexFixedBytes = 40;
inline constexpr std::size_t kIndexedExtentBytes = 16;
inline constexpr std::size_t kIndexedPointBytes = 24;
inline constexpr std::size_t kEndBytes = 32;
inline constexpr std::size_t kEndBytesWithoutIndex = 24;  // of format 1.0
inline constexpr unsigned kClockFractionBits = 40;

enum class ClockSource : std::uint32_t { kTsc = 1, kArmCounter = 2, kMonotonicNs = 3 };

enum class EndReason : std::uint32_t {
  kServiceEnded = 1,
  kConsumerEnded = 2,
  kRotation = 3,
  kCut = 4,      // not ended by its writer
  kEmptied = 5,  // its records were removed before they were shipped
};

// Extents.
inline constexpr std::size_t kExtentHeaderBytes = 64;
inline constexpr std::uint32_t kExtentUnordered = 1U << 0;
inline constexpr std::uint32_t kExtentLate = 1U << 1;
inline constexpr std::uint32_t kExtentContext = 1U << 2;  // begins with a copy of the context
// The code of the processor of its records (shm-layout/record_head.hpp) is in the upper 16 bits.
inline constexpr unsigned kExtentProcessorShift = 16;
inline constexpr std::size_t kMaxExtentSites = 65536;

// A record's tag is place << 4 | time code.
inline constexpr unsigned kPlaceSuccessor = 0;
inline constexpr unsigned kPlaceSameValues = 1;  // added to the three places of an index
inline constexpr unsigned kPlaceIndex1 = 2;
inline constexpr unsigned kPlaceIndex2 = 4;
inline constexpr unsigned kPlaceExtension = 6;
inline constexpr unsigned kTimeBack = 9;  // 8 bytes; 0 to 8: that many bytes, forwards

// Argument tags. Tags 1 to 8, bytes of the value itself, need no names.
inline constexpr unsigned kTagSame = 0;
inline constexpr unsigned kTagComplement = 8;  // + number of bytes, 1 to 4
inline constexpr unsigned kTagUp1 = 13;
inline constexpr unsigned kTagDown1 = 14;
inline constexpr unsigned kTagUp2 = 15;
inline constexpr unsigned kTagWhole128 = 13;
inline constexpr unsigned kTagNumberSlot = 9;
inline constexpr unsigned kTagText1 = 1;
inline constexpr unsigned kTagText2 = 2;
inline constexpr unsigned kTagText4 = 3;
inline constexpr unsigned kTagTextSlot = 4;
inline constexpr unsigned kTagTextEmpty = 5;
inline constexpr unsigned kTagTextSameLength = 6;

inline constexpr std::size_t kHistorySlots = 256;

}  // namespace ringside::trace
