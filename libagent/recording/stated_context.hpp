#pragma once
// Which context the calling thread's ring states for the next record.

#include <cstdint>

#include "libagent/include/ringside/abi.h"

namespace ringside {

// The ring is another one: it states none.
void begin_without_context();
// Readers may or may not see what the ring has stated: states the context again, also that there is
// none.
void forget_stated_context();

// Before a reservation: registers the statements that the thread's context needs.
void register_context();

// The statement whose record must precede the next record; null: none. With the context that the
// record has, or has no longer.
const rs_site* context_to_state();

// The bytes of such a record, at most, for the present context.
std::uint64_t most_context_bytes();
// Of the record of `site`, which context_to_state() has returned.
std::uint64_t context_bytes(const rs_site* site);
// Writes it to `place`, and notes that the context is stated.
void store_context(const rs_site* site, std::uint64_t tsc, unsigned char* place);

}  // namespace ringside
