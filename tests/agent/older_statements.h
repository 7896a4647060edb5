#ifndef RINGSIDE_TESTS_AGENT_OLDER_STATEMENTS_H
#define RINGSIDE_TESTS_AGENT_OLDER_STATEMENTS_H

void older_log_integers();
void older_log_others(const char* unterminated);
void older_log_everywhere(int value);
int older_log_counted(int* count);
void older_log_null(const char* null_text);
void older_log_large(const char* text);
void older_log_thirty_two();
void older_never_called(int value);

#endif
