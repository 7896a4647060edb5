/* Records the events of docs/how-to/events.md, "Events in C", and one that is too large. */

#include <stdlib.h>
#include <string.h>

#include <ringside/event.h>

int main(void) {
  enum { kLarge = 1 << 20 };
  const double px = 100.25;
  const char* const symbol = "ABC";
  const long fee = 2;
  const unsigned char frame[] = {1, 255};
  RS_EVENT(INFO, "order.fill", RS_ARG(px), symbol, RS_NAMED("fee_usd", fee * 2),
           RS_NAMED("venue", "XETR"));
  RS_EVENT(DEBUG, "frame", RS_NAMED("bytes", RS_BYTES(frame, sizeof frame)));
  RS_EVENT(INFO, "literals", RS_NAMED("text", "two words"), RS_NAMED("number", 7), 'c');
  char* const text = malloc(kLarge);
  if (text == NULL) return 2;
  memset(text, 'x', kLarge - 1);
  text[kLarge - 1] = '\0';
  RS_EVENT(INFO, "large", RS_NAMED("unit", "bytes"), RS_NAMED("text", text));
  free(text);
  return rs_losses(RS_LOSS_ANY) == 0 ? 0 : 1;
}
