/* spawn-times <rounds> <input> <program> [argument...]: milliseconds from spawn to exit, one line per round. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int argc, char **argv) {
  if (argc < 4) return 64;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, argv[2], O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  for (int round = atoi(argv[1]); round > 0; round--) {
    int status;
    pid_t child;
    double started = now_ms();
    if (posix_spawn(&child, argv[3], &files, NULL, argv + 3, environ) != 0) return 65;
    if (waitpid(child, &status, 0) != child || status != 0) return 66;
    printf("%.4f\n", now_ms() - started);
  }
  return 0;
}
