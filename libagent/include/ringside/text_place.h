/* Statements of texts whose places are only known at run time. For text.hpp, not for direct use. */
#ifndef RINGSIDE_TEXT_PLACE_H
#define RINGSIDE_TEXT_PLACE_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a text was made, for layers that know it only at run time. Pointers may be null. */
struct rs_text_place {
  const char* file;
  const char* function;
  const char* category; /* not terminated */
  uint32_t category_bytes;
  uint32_t line;
  uint8_t level; /* enum rs_level */
};

/* The statement of the texts of a place, with one field, `text`. The first call for a place creates
 * it: that allocates, copies the place's texts, and is not for signal handlers. Further calls find
 * it by these texts, without a lock. Statements are never removed. A process has at most 4,096;
 * those of further places share one for each level, without a place. Null if there is no memory:
 * the record is then counted as lost. */
RS_EXPORT struct rs_site* rs_text_site(const struct rs_text_place* place);

#ifdef __cplusplus
}
#endif

#endif
