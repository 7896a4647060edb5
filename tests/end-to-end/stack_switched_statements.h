#pragma once
// Statements of the C front end for stack_switched_service.cpp.
#ifdef __cplusplus
extern "C" {
#endif

void log_in_c(int number);
void log_c_event(int number);

#ifdef __cplusplus
}
#endif
