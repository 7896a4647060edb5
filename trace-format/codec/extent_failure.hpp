// Why the records of an extent cannot be decoded any further.
#pragma once

namespace ringside::trace {

inline constexpr const char* kCutShort = "a record runs past the end of its extent";
inline constexpr const char* kBadTag = "an argument tag that its type does not have";
inline constexpr const char* kBadArray = "an array that ends inside an element";
inline constexpr const char* kBytesLeft = "an extent with bytes behind its last record";
inline constexpr const char* kNoSuchIndex = "a record of a site outside the extent's site table";
inline constexpr const char* kNoSuchSite = "a record of a site that the dictionary lacks";
inline constexpr const char* kBadHead = "a record with an invalid tag";
inline constexpr const char* kBadExtension = "an extension with a time code";
inline constexpr const char* kUnknownFlags = "an extension with unknown flags";
inline constexpr const char* kLongNumber = "a number longer than 64 bits";
inline constexpr const char* kLongStackId = "a stack id beyond 32 bits";

}  // namespace ringside::trace
