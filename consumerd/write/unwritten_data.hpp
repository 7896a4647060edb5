#pragma once
// Data on its way to a trace file.

#include <string>

namespace ringside::consumer {

// Whether a trace file lacks, or can lack, data that was taken out of rings: a consumerd writes it,
// or the staging file of a dead one has data for it. Both are searched in this order, so the answer
// is right whenever that consumerd dies. A file that no consumerd will begin to write, and that has
// no unwritten data, is complete.
bool has_unwritten_data(const std::string& shm_dir, const std::string& output_dir,
                        const std::string& path);

}  // namespace ringside::consumer
