/* A C11 program as written by a user of the installed library. */
#include <ringside/ringside.h>

int main(void) {
  const unsigned id = 7;
  const char* const venue = "XETR";
  RS_INFO("C11 order %u filled at %.2f on %s", id, 101.25, venue);
  return 0;
}
