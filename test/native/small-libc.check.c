/*
 * The client's part of a C library (its symbols prefixed with `small_`) next to the system's: random work, the same results.
 * Prints what differs and exits with 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *small_memcpy(void *, const void *, size_t), *small_memmove(void *, const void *, size_t);
void *small_memset(void *, int, size_t), *small_memchr(const void *, int, size_t);
int small_memcmp(const void *, const void *, size_t), small_strcmp(const char *, const char *);
size_t small_strlen(const char *), small_strcspn(const char *, const char *);
char *small_strchr(const char *, int), *small_strrchr(const char *, int), *small_strcat(char *, const char *);
int small_snprintf(char *, size_t, const char *, ...);
void *small_malloc(size_t), *small_realloc(void *, size_t), *small_calloc(size_t, size_t);
char *small_getenv(const char *);
int small_setenv(const char *, const char *, int), small_unsetenv(const char *);
int small_stat(const char *, struct stat *), small_lstat(const char *, struct stat *), small_access(const char *, int);
int small_open(const char *, int, ...), small_fcntl(int, int, ...), small_poll(struct pollfd *, nfds_t, int);
int *small___errno_location(void);
char *small_getcwd(char *, size_t);
extern char **small_environ;
/* What the library's start would call. */
int small_main(int argc, char **argv) { return argc + !argv; }

static uint64_t state = 1;
static uint32_t any(uint32_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % below;
}

#define SAME(one, other) \
  do { \
    if ((one) != (other)) { \
      fprintf(stderr, "line %d: %s is not %s\n", __LINE__, #one, #other); \
      exit(1); \
    } \
  } while (0)
static int sign(int value) { return (value > 0) - (value < 0); }

/* Few letters, so that searches find something; bytes above 127 among them. */
static void fill(char *text, size_t length) {
  for (size_t at = 0; at < length; at++) text[at] = "ab/:=\xff\x80" "c"[any(8)];
  text[length] = '\0';
}

static void bytes_and_strings(void) {
  char one[256], other[256], third[256];
  for (int round = 0; round < 200000; round++) {
    size_t length = any(100), from = any(100), to = any(100);
    fill(one, 250);
    memcpy(other, one, sizeof one);
    SAME(memmove(one + to, one + from, length), (void *)(one + to));
    SAME(small_memmove(other + to, other + from, length), (void *)(other + to));
    SAME(memcmp(one, other, sizeof one), 0);
    small_memcpy(third + to, one + from, length);
    SAME(memcmp(third + to, one + from, length), 0);
    memset(one + from, 'a' - 300, length);
    small_memset(other + from, 'a' - 300, length);
    SAME(memcmp(one, other, sizeof one), 0);
    fill(one, length);
    fill(other, any(10));
    int wanted = "abc/:=\xff\0"[any(8)];
    SAME(small_strlen(one), strlen(one));
    SAME(sign(small_strcmp(one, other)), sign(strcmp(one, other)));
    SAME(small_strcmp(one, one), 0);
    SAME(sign(small_memcmp(one, third, length)), sign(memcmp(one, third, length)));
    SAME(small_memchr(one, wanted, length), memchr(one, wanted, length));
    SAME(small_strchr(one, wanted), strchr(one, wanted));
    SAME(small_strrchr(one, wanted), strrchr(one, wanted));
    SAME(small_strcspn(one, other), strcspn(one, other));
    memcpy(third, one, sizeof one);
    SAME(strcmp(small_strcat(third, other), strcat(one, other)), 0);
  }
}

static void formats(void) {
  char one[64], other[64], text[64];
  for (int round = 0; round < 100000; round++) {
    size_t room = any(sizeof one);
    fill(text, any(50));
    memset(one, 7, sizeof one);
    memset(other, 7, sizeof other);
    long long number = (long long)((uint64_t)any(1u << 31) << any(34)) * (any(2) ? 1 : -1);
    int most = (int)any(60);
    SAME(snprintf(one, room, "%s/%.*s-%lld", text, most, text, number),
         small_snprintf(other, room, "%s/%.*s-%lld", text, most, text, number));
    SAME(memcmp(one, other, sizeof one), 0);
  }
  small_snprintf(one, sizeof one, "%lld", (long long)INT64_MIN);
  SAME(strcmp(one, "-9223372036854775808"), 0);
}

static void memory(void) {
  for (int round = 0; round < 2000; round++) {
    size_t size = any(any(20) ? 300 : 400000) + 1, more = size;
    unsigned char *bytes = round % 2 ? small_malloc(size) : small_calloc(size, 1);
    SAME((uintptr_t)bytes % 16, 0u);
    for (size_t at = 0; round % 2 == 0 && at < size; at++) SAME(bytes[at], 0);
    for (size_t at = 0; at < size; at++) bytes[at] = (unsigned char)(at * 31 + (size_t)round);
    for (int times = 0; times < 3; times++) bytes = small_realloc(bytes, more += any(2) ? 10 : 2 * more);
    for (size_t at = 0; at < size; at++) SAME(bytes[at], (unsigned char)(at * 31 + (size_t)round));
  }
  SAME(small_malloc(SIZE_MAX), NULL);
  SAME(small_calloc(SIZE_MAX / 2, 3), NULL);
}

static void environment(void) {
  static char *given[] = {"A=1", "AB=2", "B=", "nothing", "A=again", "B=2", NULL};
  static char *copy[sizeof given / sizeof *given];
  const char *names[] = {"A", "AB", "B", "C", "nothing"};
  memcpy(copy, given, sizeof given);
  environ = given;
  small_environ = copy;
  for (int round = 0; round < 3000; round++) {
    const char *name = names[any(5)];
    char value[16];
    fill(value, any(10));
    int what = (int)any(3), replace = (int)any(2);
    if (what == 0) SAME(setenv(name, value, replace), small_setenv(name, value, replace));
    if (what == 1) SAME(unsetenv(name), small_unsetenv(name));
    for (size_t index = 0; index < 5; index++) {
      const char *one = getenv(names[index]), *other = small_getenv(names[index]);
      SAME(!one, !other);
      SAME(one ? strcmp(one, other) : 0, 0);
    }
  }
}

static void kernel_calls(const char *directory) {
  struct stat one, other;
  char path[4096];
  const char *names[] = {"", "/file", "/link", "/missing"};
  for (size_t index = 0; index < 4; index++) {
    snprintf(path, sizeof path, "%s%s", directory, names[index]);
    memset(&one, 0, sizeof one);
    memset(&other, 0, sizeof other);
    SAME(stat(path, &one), small_stat(path, &other));
    SAME(memcmp(&one, &other, sizeof one), 0);
    if (index == 3) SAME(*small___errno_location(), ENOENT);
    SAME(lstat(path, &one), small_lstat(path, &other));
    SAME(memcmp(&one, &other, sizeof one), 0);
    for (int mode = 0; mode < 8; mode++) SAME(access(path, mode), small_access(path, mode));
  }
  int file = small_open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  SAME(fstat(file, &one), 0);
  SAME(one.st_mode & 07777, 0600u);
  SAME(fcntl(file, F_GETFD), FD_CLOEXEC);
  SAME(small_fcntl(file, F_SETFD, 0), 0);
  SAME(fcntl(file, F_GETFD), 0);
  int ends[2];
  SAME(pipe(ends), 0);
  struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
  SAME(small_poll(&wanted, 1, 5), 0);
  SAME(write(ends[1], "x", 1), 1);
  SAME(small_poll(&wanted, 1, -1), 1);
  SAME(wanted.revents, POLLIN);
  char cwd[4096], same[4096];
  SAME(strcmp(getcwd(cwd, sizeof cwd), small_getcwd(same, sizeof same)), 0);
  SAME(small_getcwd(same, 1), NULL);
  SAME(*small___errno_location(), ERANGE);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  bytes_and_strings();
  formats();
  memory();
  environment();
  kernel_calls(argv[1]);
  puts("the same");
  return 0;
}
