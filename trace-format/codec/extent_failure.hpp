// Why the records of an extent cannot be decoded any further.
#pragma once

namespace ringside::trace {

inline constexpr const char* kCutShort = "a record extends past the end of its extent";
inline constexpr const char* kBadTag = "invalid argument tag for the type of the field";
inline constexpr const char* kBadArray = "an array ends inside an element";
inline constexpr const char* kBytesLeft = "trailing bytes after the last record of the extent";
inline constexpr const char* kNoSuchIndex =
    "the site of a record is outside the extent's site table";
inline constexpr const char* kNoSuchSite = "the site of a record is missing in the dictionary";
inline constexpr const char* kBadHead = "a record has an invalid tag";
inline constexpr const char* kBadExtension = "an extension has a time code";
inline constexpr const char* kUnknownFlags = "an extension has unknown flags";
inline constexpr const char* kLongNumber = "a number exceeds 64 bits";
inline constexpr const char* kLongDuration = "a record lasts longer than its clock";
inline constexpr const char* kLongStackId = "a stack id exceeds 32 bits";
inline constexpr const char* kManyContexts = "it has too many contexts";

}  // namespace ringside::trace
