/*
 * spawn <callers> <spawns each> <pause us> <stdin file> <exit code> <text> <program> [argument...]
 *
 * Starts a program again and again as a host does: a file as stdin, its stdout read from a pipe. Prints of each
 * start how long it took from spawn to exit in microseconds and the most memory it had in KiB, and last the time of all
 * of them. Several callers work at the same time, each in a process of its own. <text> must be in every answer; "" stands for an answer without a byte, "*" for
 * any. A wrong answer ends it with 1: what answers wrongly is not worth timing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct job {
  int spawns, pause_us, exit_code;
  const char *input, *text;
  char **command;
};

struct run {
  double us;
  long kib;
};

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

_Noreturn static void give_up(const char *what) {
  fprintf(stderr, "spawn: %s: %s\n", what, strerror(errno));
  exit(70);
}

static void open_pipe(int ends[2]) {
  if (pipe(ends) != 0) give_up("pipe");
  for (int end = 0; end < 2; end++) fcntl(ends[end], F_SETFD, FD_CLOEXEC);
}

/* All that is told; more than fits is read and dropped. */
static size_t read_answer(int from, char *answer, size_t capacity) {
  size_t length = 0;
  for (;;) {
    char dropped[4096];
    int is_full = length == capacity;
    ssize_t count = read(from, is_full ? dropped : answer + length, is_full ? sizeof dropped : capacity - length);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return length;
    if (!is_full) length += (size_t)count;
  }
}

static int is_right(const struct job *job, int status, const char *answer, size_t length) {
  if (!WIFEXITED(status) || WEXITSTATUS(status) != job->exit_code) return 0;
  if (strcmp(job->text, "*") == 0) return 1;
  return job->text[0] == '\0' ? length == 0 : strstr(answer, job->text) != NULL;
}

static long kib_of(const struct rusage *usage) {
#ifdef __APPLE__
  return usage->ru_maxrss / 1024;
#else
  return usage->ru_maxrss;
#endif
}

static struct run spawn_once(const struct job *job) {
  static char answer[64 * 1024 + 1];
  int ends[2];
  open_pipe(ends);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, job->input, O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  pid_t child;
  int status;
  struct rusage usage;
  double started = now_us();
  errno = posix_spawn(&child, job->command[0], &actions, NULL, job->command, environ);
  if (errno != 0) give_up(job->command[0]);
  close(ends[1]);
  size_t length = read_answer(ends[0], answer, sizeof answer - 1);
  if (wait4(child, &status, 0, &usage) != child) give_up("wait4");
  double took = now_us() - started;
  close(ends[0]);
  posix_spawn_file_actions_destroy(&actions);
  answer[length] = '\0';
  if (!is_right(job, status, answer, length)) {
    fprintf(stderr, "wrong answer: status %d, \"%s\", expected exit code %d and \"%s\"\n", status, answer,
            job->exit_code, job->text);
    exit(1);
  }
  return (struct run){.us = took, .kib = kib_of(&usage)};
}

static void spawn_all(const struct job *job, struct run *runs) {
  for (int done = 0; done < job->spawns; done++) {
    if (job->pause_us > 0) usleep((useconds_t)job->pause_us);
    runs[done] = spawn_once(job);
  }
}

/* Forked first and let go together, so that the forking is not part of the time. */
static double spawn_in_parallel(const struct job *job, int callers, struct run *runs) {
  int gate[2];
  open_pipe(gate);
  for (int caller = 0; caller < callers; caller++) {
    pid_t child = fork();
    if (child < 0) give_up("fork");
    if (child > 0) continue;
    char none;
    close(gate[1]);
    if (read(gate[0], &none, 1) != 0) give_up("gate");
    spawn_all(job, runs + (size_t)caller * (size_t)job->spawns);
    exit(0);
  }
  double started = now_us();
  close(gate[1]);
  int failures = 0;
  for (int left = callers; left > 0; left--) {
    int status;
    if (wait(&status) < 0) give_up("wait");
    if (status != 0) failures++;
  }
  double took = now_us() - started;
  if (failures > 0) exit(1);
  return took;
}

int main(int count, char **words) {
  if (count < 8) return 64;
  int callers = atoi(words[1]);
  struct job job = {.spawns = atoi(words[2]),
                    .pause_us = atoi(words[3]),
                    .input = words[4],
                    .exit_code = atoi(words[5]),
                    .text = words[6],
                    .command = words + 7};
  if (callers < 1 || job.spawns < 1) return 64;
  size_t total = (size_t)callers * (size_t)job.spawns;
  struct run *runs = mmap(NULL, total * sizeof *runs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (runs == MAP_FAILED) give_up("mmap");
  double took;
  if (callers == 1) {
    double started = now_us();
    spawn_all(&job, runs);
    took = now_us() - started;
  } else {
    took = spawn_in_parallel(&job, callers, runs);
  }
  for (size_t index = 0; index < total; index++) printf("%.1f %ld\n", runs[index].us, runs[index].kib);
  printf("%.1f\n", took);
  return 0;
}
