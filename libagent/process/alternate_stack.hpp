#pragma once
// Stacks on which signal handlers of crashes run, because the thread's own may have overflowed.

namespace ringside {

// From now on threads get one when they take a ring. Signal-safe.
void want_alternate_stacks();

// Gives the calling thread an alternate signal stack with a guard page, if they are wanted and the
// thread has none: one of the service stays. No lock; three system calls for the first call of a
// thread. Signal-safe. False if there is no memory, or if called on an alternate stack of another.
bool give_alternate_stack();

// At the end of the calling thread: takes back what the function above gave.
void take_alternate_stack_back();

}  // namespace ringside
