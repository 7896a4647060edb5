// Decodes the arguments of a ring record.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trace-format/codec/site_table.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {

// `*values` gets one for each field of the site, constants included; texts and arrays point into
// `arguments`, or into the site table. Every byte is checked: returns false if they are not exactly
// the arguments of one record.
bool decode_ring_arguments(const Site& site, std::span<const std::byte> arguments,
                           std::vector<Value>* values);

}  // namespace ringside::trace
