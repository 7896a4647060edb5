/* RS_MIN_LEVEL, for C and C++: statements below this level are removed at compile time. They are
 * still checked, but have no code and no entry in the dictionary. A number or a constant of enum
 * rs_level; the command line, or the lines before a statement, can define it:
 *
 *     -DRS_MIN_LEVEL=RS_LEVEL_INFO
 */
#ifndef RINGSIDE_MIN_LEVEL_H
#define RINGSIDE_MIN_LEVEL_H

/* What the name means where the macro is not defined. */
#pragma push_macro("RS_MIN_LEVEL")
#undef RS_MIN_LEVEL
enum { RS_MIN_LEVEL = 0 };
#pragma pop_macro("RS_MIN_LEVEL")

/* Sums, because compilers warn of comparisons of different enumerations. */
#define RS_IS_COMPILED_(level_) ((level_) + 0 >= (RS_MIN_LEVEL) + 0)

#endif
