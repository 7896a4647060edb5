#pragma once
// What was collected as exact text, which TPTP traces carry in the value of an `option`; and in the
// forms that other readers know. README.md has the grammar.

#include <string>
#include <string_view>
#include <utility>

#include "tools/interop/collected_span.hpp"

namespace ringside::tool::tptp {

// The key of an option whose value is that text.
inline constexpr std::string_view kCollectedKey = "ringside.collected";

// Appends tokens. Site ids are the numbers of the statements in the TPTP trace.
void append_collected(std::string& out, const CollectedInUnixTime& collected);
// False if the text is not whole.
bool take_collected(std::string_view text, CollectedInUnixTime& collected);

// "sample" and `site="pulse*" keep-one-in="10"`.
std::pair<std::string_view, std::string> rule_option(const trace::CollectionRule& rule);

}  // namespace ringside::tool::tptp
