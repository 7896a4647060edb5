/* One error for standards that are older than the headers support. Part of abi.h. */
#ifndef RINGSIDE_REQUIRED_STANDARD_H
#define RINGSIDE_REQUIRED_STANDARD_H

#if defined(__cplusplus)
#if __cplusplus < 201103L
#error "Ringside needs C++11: compile with -std=c++11 or a later standard"
#endif
#elif !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error "Ringside needs C11: compile with -std=c11 or a later standard"
#endif

#endif
