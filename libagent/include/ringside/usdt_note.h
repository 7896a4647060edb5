/* The notes by which debuggers and tracers find the statements of a program that is compiled with
 * RINGSIDE_USDT defined: probes of SystemTap's format (.note.stapsdt), as <sys/sdt.h> makes them.
 * C, and all standards of C++. */
#ifndef RINGSIDE_USDT_NOTE_H
#define RINGSIDE_USDT_NOTE_H

/* The first 12 arguments, which is what SystemTap's readers accept. */
#define RS_MOST_PROBE_ARGUMENTS 12

/* Where an argument is: a constant, a register, or memory. clang would store a value in memory for
 * the sake of the last one. */
#if defined(__clang__)
#define RS_PROBE_PLACE_ "nr"
#else
#define RS_PROBE_PLACE_ "nor"
#endif

/* The name of the source file without its folders. */
#if defined(__FILE_NAME__)
#define RS_PROBE_FILE_ __FILE_NAME__
#else
#define RS_PROBE_FILE_ __FILE__
#endif

#define RS_PROBE_TEXT_1_(x) #x
#define RS_PROBE_TEXT_(x) RS_PROBE_TEXT_1_(x)

/* The probe's one instruction, and its note up to the name. The note is in the group of the code
 * ("?"), and is discarded with it. No semaphore: the arguments need no preparation. */
#define RS_PROBE_BEGIN_                         \
  "990: nop\n"                                  \
  ".pushsection .note.stapsdt,\"?\",\"note\"\n" \
  ".balign 4\n"                                 \
  ".4byte 992f-991f,994f-993f,3\n"              \
  "991: .asciz \"stapsdt\"\n"                   \
  "992: .balign 4\n"                            \
  "993: .8byte 990b,_.stapsdt.base,0\n"         \
  ".asciz \"ringside\"\n"
/* What follows the text of the arguments. The symbol tells readers how far the program was moved
 * when it was prelinked. */
#define RS_PROBE_END_                                                     \
  "994: .balign 4\n"                                                      \
  ".popsection\n"                                                         \
  ".ifndef _.stapsdt.base\n"                                              \
  ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
  ".weak _.stapsdt.base\n"                                                \
  ".hidden _.stapsdt.base\n"                                              \
  "_.stapsdt.base: .space 1\n"                                            \
  ".size _.stapsdt.base,1\n"                                              \
  ".popsection\n"                                                         \
  ".endif\n"

/* The place in the source as a name, FILE_LINE: orders_c_42. Only letters, digits and underscores
 * are valid in all readers. */
#define RS_PROBE_NAME_ \
  ".irpc rs_c," RS_PROBE_FILE_ "_" RS_PROBE_TEXT_(__LINE__) "\n"    \
  ".ifc \\rs_c,.\n.ascii \"_\"\n.else\n"                            \
  ".ifc \\rs_c,-\n.ascii \"_\"\n.else\n"                            \
  ".ifc \\rs_c,+\n.ascii \"_\"\n.else\n"                            \
  ".ifc \\rs_c,/\n.ascii \"_\"\n.else\n"                            \
  ".ascii \"\\rs_c\"\n.endif\n.endif\n.endif\n.endif\n.endr\n"        \
  ".byte 0\n"

/* A probe without arguments. */
#define RS_PROBE_ALONE_ \
  __asm__ __volatile__(RS_PROBE_BEGIN_ RS_PROBE_NAME_ ".byte 0\n" RS_PROBE_END_)

/* Text of the argument whose operands are rs_sN (its size, negated by %n) and rs_aN. */
#define RS_PROBE_ARGUMENT_(n) "%n[rs_s" #n "]@%[rs_a" #n "]"

#endif
