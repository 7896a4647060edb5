/* logging_allocator.cpp in C: malloc, free, calloc and realloc log through the C interface. The
 * program must end. What it allocates itself is recorded, on several threads at once and while
 * threads end. Some of the library's own allocations may be lost; these are counted. */

#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libagent/include/ringside/netlogger.h"
#include "libagent/include/ringside/ringside.h"

void* __libc_malloc(size_t bytes);
void __libc_free(void* memory);
void* __libc_calloc(size_t n, size_t size);
void* __libc_realloc(void* memory, size_t bytes);

static struct rs_netlogger* volatile g_netlogger;

void* malloc(size_t bytes) {
  RS_INFO("malloc %zu", bytes);
  return __libc_malloc(bytes);
}
void free(void* memory) {
  RS_INFO("free %p", memory);
  if (g_netlogger != NULL) rs_netlogger_write(g_netlogger, "free", "", "memory=%p", memory);
  __libc_free(memory);
}
void* calloc(size_t n, size_t size) {
  RS_INFO("calloc %zu", n * size);
  return __libc_calloc(n, size);
}
void* realloc(void* memory, size_t bytes) {
  RS_INFO("realloc %zu", bytes);
  return __libc_realloc(memory, bytes);
}

static pthread_key_t g_freed_at_the_end;

static int fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}

static void allocate(int times) {
  for (int i = 0; i < times; ++i) {
    char* volatile memory = malloc(100);
    memory = realloc(memory, 200);
    free(memory);
    memory = calloc(10, 10);
    free(memory);
  }
}

static void* run_thread(void* unused) {
  (void)unused;
  pthread_setspecific(g_freed_at_the_end, malloc(10));
  allocate(100);
  return NULL;
}

static int check(void) {
  enum { kThreads = 8 };
  pthread_t threads[kThreads];
  if (!rs_preallocate()) return fail("no segment");
  allocate(10);
  const uint64_t before = rs_losses(RS_LOSS_ANY);
  allocate(1000);
  if (rs_losses(RS_LOSS_ANY) != before) return fail("records of ordinary allocations were lost");
  for (int i = 0; i < kThreads; ++i) {
    if (pthread_create(&threads[i], NULL, run_thread, NULL) != 0) return fail("no thread");
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  if (rs_losses(RS_LOSS_ANY) != before) return fail("records of other threads were lost");
  struct rs_netlogger* const handle = rs_netlogger_open();
  g_netlogger = handle;
  allocate(10);
  g_netlogger = NULL;
  rs_netlogger_close(handle);
  return 0;
}

/* The segment exists before main() can name another directory, and no consumer removes it. */
static void remove_segment(void) {
  char pattern[64];
  glob_t found;
  snprintf(pattern, sizeof pattern, "/dev/shm/ringside.*.%d.*", (int)getpid());
  if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1) unlink(found.gl_pathv[0]);
}

int main(void) {
  const int status = pthread_key_create(&g_freed_at_the_end, free) != 0 ? fail("no key") : check();
  remove_segment();
  _exit(status); /* without another log call */
}
