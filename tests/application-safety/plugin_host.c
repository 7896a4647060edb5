/* Loads libraries, logs through each on its own thread, unloads all of them, and only then lets the
   threads end: nothing of a library may be called by then.

   usage: plugin_host LIBRARY... */

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/wait.h>

enum { kMaxLibraries = 8 };

static pthread_barrier_t g_logged;
static pthread_barrier_t g_unloaded;

static void* log_and_outlive(void* function) {
  void (*log)(int) = NULL;
  *(void**)&log = function;
  for (int i = 0; i < 100; ++i) log(i);
  pthread_barrier_wait(&g_logged);
  pthread_barrier_wait(&g_unloaded);
  return NULL;
}

int main(int argc, char** argv) {
  const int count = argc - 1;
  if (count < 1 || count > kMaxLibraries) return 2;
  void* libraries[kMaxLibraries];
  pthread_t threads[kMaxLibraries];
  pthread_barrier_init(&g_logged, NULL, (unsigned)count + 1);
  pthread_barrier_init(&g_unloaded, NULL, (unsigned)count + 1);
  for (int i = 0; i < count; ++i) {
    libraries[i] = dlopen(argv[1 + i], RTLD_NOW | RTLD_LOCAL);
    if (libraries[i] == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 3;
    }
    void* const log = dlsym(libraries[i], "c_plugin_log");
    if (log == NULL || pthread_create(&threads[i], NULL, log_and_outlive, log) != 0) return 4;
  }
  pthread_barrier_wait(&g_logged);
  for (int i = 0; i < count; ++i) {
    if (dlclose(libraries[i]) != 0) return 5;
  }
  pthread_barrier_wait(&g_unloaded);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  const pid_t child = fork();
  if (child == 0) exit(0);
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0 ? 0 : 6;
}
