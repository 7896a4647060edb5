#pragma once
// Rules as COLLECTION blocks state them: with the names that they have in the configuration file.

#include "consumerd/rules/record_rules.hpp"
#include "trace-format/blocks/collection_block.hpp"

namespace ringside::consumer {

trace::CollectionRule described_rule(const SampleRule& rule);
// Includes its place in the configuration file.
trace::CollectionRule described_rule(const RedactionRule& rule);

}  // namespace ringside::consumer
