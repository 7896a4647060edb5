/** @file
 * What <ringside/stack.hpp> needs of the library beyond abi.h. Not for direct use.
 */
#ifndef RINGSIDE_STACK_ABI_H
#define RINGSIDE_STACK_ABI_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stores the return addresses on the stack of the calling thread, innermost first, without the
 * frame of this function, and returns their number, up to `most`. Records `ringside.module` for
 * those in files that no record names yet. Signal-safe. */
RS_EXPORT uint32_t rs_stack_addresses(const void** addresses, uint32_t most);

#ifdef __cplusplus
}
#endif

#endif
