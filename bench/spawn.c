/* Starts a program N times, one after another, with a file as stdin, and prints how long each took in microseconds. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int main(int count, char **words) {
  if (count < 4) return 64;
  for (int left = atoi(words[1]); left > 0; left--) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, words[2], O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    double started = now_us();
    pid_t child;
    if (posix_spawn(&child, words[3], &actions, NULL, words + 3, environ) != 0) return 70;
    int status;
    waitpid(child, &status, 0);
    printf("%.0f %d\n", now_us() - started, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    posix_spawn_file_actions_destroy(&actions);
  }
  return 0;
}
