/*
 * load <socket> <callers> <calls each> <request file>...
 *
 * Speaks the protocol of native/README.md to the daemon without starting a process per call: what the daemon itself can
 * take. Each caller is a process with one call at a time, a connection each; requests take turns, each with an id of its
 * own (the last 32 bytes of a request). Prints the microseconds of each call, and last those of all of them. A call that
 * is declined, broken off, or answered with anything but exit code 0 and nothing to say ends it with 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

enum { ACCEPTED = 1, JUDGED = 2, ANSWER = 3, ID_LENGTH = 32, CONNECT_TRIES = 2000 };

struct request {
  char *bytes;
  size_t length;
};

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

_Noreturn static void give_up(const char *what) {
  fprintf(stderr, "load: %s: %s\n", what, errno ? strerror(errno) : "not what was expected");
  exit(1);
}

static struct request read_request(const char *path) {
  struct stat found;
  int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &found) != 0 || found.st_size <= ID_LENGTH) give_up(path);
  struct request request = {.bytes = malloc((size_t)found.st_size), .length = (size_t)found.st_size};
  if (!request.bytes || read(file, request.bytes, request.length) != (ssize_t)request.length) give_up(path);
  close(file);
  return request;
}

static void send_whole(int socket, const void *bytes, size_t length) {
  for (const char *at = bytes; length > 0;) {
    ssize_t sent = send(socket, at, length, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) give_up("send");
    at += sent;
    length -= (size_t)sent;
  }
}

static void receive(int socket, void *bytes, size_t length) {
  for (char *at = bytes; length > 0;) {
    ssize_t count = recv(socket, at, length, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = 0;
    if (count <= 0) give_up("the daemon broke off");
    at += count;
    length -= (size_t)count;
  }
}

/* Both ends are on this machine, which is little endian wherever the client is built today. */
static uint32_t await(int socket, uint32_t kind) {
  uint32_t head[2];
  receive(socket, head, sizeof head);
  errno = 0;
  if (head[0] != kind) give_up("another message than is due");
  return head[1];
}

/* A full queue is no failure of the daemon's: the native client would decide by itself, we come again. */
static int connect_to(const struct sockaddr_un *address) {
  for (int tries = 0; tries < CONNECT_TRIES; tries++) {
    int end = socket(AF_UNIX, SOCK_STREAM, 0);
    if (end < 0) give_up("socket");
    if (connect(end, (const struct sockaddr *)address, sizeof *address) == 0) return end;
    if (errno != EAGAIN && errno != EINTR) give_up("connect");
    close(end);
    usleep(200);
  }
  give_up("connect");
}

static void call_once(const struct sockaddr_un *address, const struct request *request) {
  int end = connect_to(address);
  send_whole(end, request->bytes, request->length);
  uint32_t limit, answer[3];
  if (await(end, ACCEPTED) != sizeof limit) give_up("ACCEPTED");
  receive(end, &limit, sizeof limit);
  if (await(end, JUDGED) != 0) give_up("JUDGED");
  uint32_t length = await(end, ANSWER);
  receive(end, answer, sizeof answer);
  errno = 0;
  if (length != sizeof answer || answer[0] != 0) give_up("the answer has something to say, or another exit code");
  close(end);
}

static void call_all(const struct sockaddr_un *address, struct request *requests, int kinds, int caller, int calls,
                     double *times) {
  for (int done = 0; done < calls; done++) {
    struct request *request = &requests[(caller + done) % kinds];
    char id[ID_LENGTH + 1];
    snprintf(id, sizeof id, "%08x%08x%08x%08x", (unsigned)getpid(), (unsigned)caller, (unsigned)done,
             (unsigned)time(NULL));
    memcpy(request->bytes + request->length - ID_LENGTH, id, ID_LENGTH);
    double started = now_us();
    call_once(address, request);
    times[done] = now_us() - started;
  }
}

int main(int count, char **words) {
  if (count < 5) return 64;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(words[1]) >= sizeof address.sun_path) return 64;
  strcpy(address.sun_path, words[1]);
  int callers = atoi(words[2]), calls = atoi(words[3]), kinds = count - 4;
  if (callers < 1 || calls < 1) return 64;
  struct request *requests = calloc((size_t)kinds, sizeof *requests);
  if (!requests) give_up("memory");
  for (int kind = 0; kind < kinds; kind++) requests[kind] = read_request(words[4 + kind]);
  size_t total = (size_t)callers * (size_t)calls;
  double *times = mmap(NULL, total * sizeof *times, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (times == MAP_FAILED) give_up("mmap");
  double started = now_us();
  for (int caller = 0; caller < callers; caller++) {
    pid_t child = fork();
    if (child < 0) give_up("fork");
    if (child > 0) continue;
    call_all(&address, requests, kinds, caller, calls, times + (size_t)caller * (size_t)calls);
    exit(0);
  }
  int failures = 0;
  for (int left = callers; left > 0; left--) {
    int status;
    if (wait(&status) < 0) give_up("wait");
    if (status != 0) failures++;
  }
  double took = now_us() - started;
  if (failures > 0) return 1;
  for (size_t index = 0; index < total; index++) printf("%.1f\n", times[index]);
  printf("%.1f\n", took);
  return 0;
}
