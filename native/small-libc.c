/*
 * The part of the C library that the client needs, as calls to Linux. glibc touches 26 pages before `main`, each of them a
 * fault that takes longer than a request to the daemon; an empty program without it takes a third of the time. Built only
 * for x86-64 and arm64: elsewhere, and where a compiler refuses, the client is linked with what the system has. What is here
 * does what the standard says as far as `holdfast.c` uses it: formats are %s, %.*s and %lld.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- the kernel ---- */

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call begin\n hlt\n");

static long kernel(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n mov x29, #0\n mov x30, #0\n mov x0, sp\n bl begin\n brk #1\n");

static long kernel(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
#else
#error "not for this machine"
#endif

static int last_error;
int *__errno_location(void) { return &last_error; }

static long result_of(long result) {
  if (result >= 0 || result < -4095) return result;
  last_error = (int)-result;
  return -1;
}

#define CALL6(name, a, b, c, d, e, f) \
  result_of(kernel(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)))
#define CALL3(name, a, b, c) CALL6(name, a, b, c, 0, 0, 0)

char **environ;
int main(int argc, char **argv);

_Noreturn void _exit(int code) {
  for (;;) kernel(SYS_exit_group, code, 0, 0, 0, 0, 0);
}
_Noreturn void exit(int code) { _exit(code); }

/* The kernel leaves the count of words, the words, NULL, and the environment on the stack. */
__attribute__((used)) _Noreturn void begin(long *stack) {
  int argc = (int)stack[0];
  char **argv = (char **)(stack + 1);
  environ = argv + argc + 1;
  _exit(main(argc, argv));
}

long syscall(long number, ...) {
  va_list list;
  long words[6];
  va_start(list, number);
  for (int index = 0; index < 6; index++) words[index] = va_arg(list, long);
  va_end(list);
  return result_of(kernel(number, words[0], words[1], words[2], words[3], words[4], words[5]));
}

static long next_word(va_list list) { return va_arg(list, long); }

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  long mode = flags & (O_CREAT | O_TMPFILE) ? next_word(list) : 0;
  va_end(list);
  return (int)CALL6(openat, AT_FDCWD, path, flags, mode, 0, 0);
}

int fcntl(int file, int command, ...) {
  va_list list;
  va_start(list, command);
  long argument = next_word(list);
  va_end(list);
  return (int)CALL3(fcntl, file, command, argument);
}

ssize_t read(int file, void *to, size_t length) { return CALL3(read, file, to, length); }
ssize_t write(int file, const void *from, size_t length) { return CALL3(write, file, from, length); }
int close(int file) { return (int)CALL3(close, file, 0, 0); }
off_t lseek(int file, off_t offset, int whence) { return CALL3(lseek, file, offset, whence); }
int dup2(int file, int other) { return (int)CALL3(dup3, file, other, 0); }
int memfd_create(const char *name, unsigned flags) { return (int)CALL3(memfd_create, name, flags, 0); }

int stat(const char *path, struct stat *found) { return (int)CALL6(newfstatat, AT_FDCWD, path, found, 0, 0, 0); }
int lstat(const char *path, struct stat *found) {
  return (int)CALL6(newfstatat, AT_FDCWD, path, found, AT_SYMLINK_NOFOLLOW, 0, 0);
}
int access(const char *path, int mode) { return (int)CALL3(faccessat, AT_FDCWD, path, mode); }
ssize_t readlink(const char *path, char *to, size_t length) {
  return CALL6(readlinkat, AT_FDCWD, path, to, length, 0, 0);
}
char *getcwd(char *to, size_t length) { return CALL3(getcwd, to, length, 0) < 0 || to[0] != '/' ? NULL : to; }

int poll(struct pollfd *wanted, nfds_t count, int ms) {
  struct timespec left = {ms / 1000, ms % 1000 * 1000000L};
  return (int)CALL6(ppoll, wanted, count, ms < 0 ? NULL : &left, NULL, 0, 0);
}
int clock_gettime(clockid_t clock, struct timespec *time) { return (int)CALL3(clock_gettime, clock, time, 0); }
ssize_t getrandom(void *to, size_t length, unsigned flags) { return CALL3(getrandom, to, length, flags); }

int socket(int family, int type, int protocol) { return (int)CALL3(socket, family, type, protocol); }
int connect(int file, const struct sockaddr *address, socklen_t length) {
  return (int)CALL3(connect, file, address, length);
}
int getsockopt(int file, int level, int name, void *to, socklen_t *length) {
  return (int)CALL6(getsockopt, file, level, name, to, length, 0);
}
int shutdown(int file, int how) { return (int)CALL3(shutdown, file, how, 0); }
ssize_t send(int file, const void *from, size_t length, int flags) {
  return CALL6(sendto, file, from, length, flags, NULL, 0);
}
ssize_t recv(int file, void *to, size_t length, int flags) {
  return CALL6(recvfrom, file, to, length, flags, NULL, NULL);
}

uid_t geteuid(void) { return (uid_t)CALL3(geteuid, 0, 0, 0); }
int kill(pid_t process, int number) { return (int)CALL3(kill, process, number, 0); }
int execv(const char *path, char *const argv[]) { return (int)CALL3(execve, path, argv, environ); }

/* For SIG_IGN and SIG_DFL alone: a handler would have to be returned from. */
sighandler_t signal(int number, sighandler_t handler) {
  struct {
    sighandler_t handler;
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
  } wanted = {.handler = handler};
  return CALL6(rt_sigaction, number, &wanted, NULL, sizeof wanted.mask, 0, 0) < 0 ? SIG_ERR : SIG_DFL;
}

/* ---- bytes and strings ---- */

/* In a loop that does what a function of the library does, a compiler would put a call to it: to itself. */
#define STAYS_A_LOOP __asm__ volatile("")

typedef uint64_t __attribute__((may_alias, aligned(1))) word;

void *memcpy(void *restrict to, const void *restrict from, size_t length) {
  size_t at = 0;
  for (; at + sizeof(word) <= length; at += sizeof(word)) {
    STAYS_A_LOOP;
    *(word *)((char *)to + at) = *(const word *)((const char *)from + at);
  }
  for (; at < length; at++) {
    STAYS_A_LOOP;
    ((char *)to)[at] = ((const char *)from)[at];
  }
  return to;
}

void *memmove(void *to, const void *from, size_t length) {
  if ((uintptr_t)to - (uintptr_t)from >= length) return memcpy(to, from, length);
  while (length-- > 0) {
    STAYS_A_LOOP;
    ((char *)to)[length] = ((const char *)from)[length];
  }
  return to;
}

void *memset(void *to, int byte, size_t length) {
  for (size_t at = 0; at < length; at++) {
    STAYS_A_LOOP;
    ((char *)to)[at] = (char)byte;
  }
  return to;
}

int memcmp(const void *one, const void *other, size_t length) {
  const unsigned char *a = one, *b = other;
  for (; length > 0; length--, a++, b++)
    if (*a != *b) return *a - *b;
  return 0;
}

void *memchr(const void *bytes, int wanted, size_t length) {
  for (const unsigned char *at = bytes; length > 0; length--, at++)
    if (*at == (unsigned char)wanted) return (void *)at;
  return NULL;
}

size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length]) {
    STAYS_A_LOOP;
    length++;
  }
  return length;
}

int strcmp(const char *one, const char *other) {
  size_t length = strlen(one) + 1, others = strlen(other) + 1;
  return memcmp(one, other, length < others ? length : others);
}

char *strchr(const char *text, int wanted) { return memchr(text, wanted, strlen(text) + 1); }

char *strrchr(const char *text, int wanted) {
  for (size_t at = strlen(text) + 1; at > 0; at--)
    if (text[at - 1] == (char)wanted) return (char *)text + at - 1;
  return NULL;
}

size_t strcspn(const char *text, const char *ends) {
  size_t length = 0;
  while (text[length] && !strchr(ends, text[length])) length++;
  return length;
}

char *strcat(char *restrict to, const char *restrict from) {
  memcpy(to + strlen(to), from, strlen(from) + 1);
  return to;
}

/* ---- formats ---- */

struct printer {
  char *to;
  size_t room, length;
};

static void print(struct printer *printer, const char *text, size_t length) {
  for (size_t at = 0; at < length; at++, printer->length++)
    if (printer->length + 1 < printer->room) printer->to[printer->length] = text[at];
}

static void print_number(struct printer *printer, long long number) {
  char digits[24], *at = digits + sizeof digits;
  unsigned long long left = number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
  do *--at = (char)('0' + left % 10);
  while ((left /= 10) > 0);
  if (number < 0) *--at = '-';
  print(printer, at, (size_t)(digits + sizeof digits - at));
}

static size_t length_within(const char *text, size_t most) {
  const char *end = memchr(text, '\0', most);
  return end ? (size_t)(end - text) : most;
}

/* Ends the program where a format is none of ours, rather than to say something else. */
int vsnprintf(char *to, size_t room, const char *format, va_list list) {
  struct printer printer = {to, room, 0};
  for (const char *at = format; *at;) {
    if (*at != '%') {
      print(&printer, at++, 1);
    } else if (at[1] == 's') {
      const char *text = va_arg(list, const char *);
      print(&printer, text, strlen(text));
      at += 2;
    } else if (memcmp(at, "%.*s", 4) == 0) {
      int most = va_arg(list, int);
      const char *text = va_arg(list, const char *);
      print(&printer, text, length_within(text, (size_t)most));
      at += 4;
    } else if (memcmp(at, "%lld", 4) == 0) {
      print_number(&printer, va_arg(list, long long));
      at += 4;
    } else {
      _exit(2);
    }
  }
  if (room > 0) to[printer.length < room ? printer.length : room - 1] = '\0';
  return (int)printer.length;
}

int snprintf(char *restrict to, size_t room, const char *restrict format, ...) {
  va_list list;
  va_start(list, format);
  int length = vsnprintf(to, room, format, list);
  va_end(list);
  return length;
}

int dprintf(int file, const char *restrict format, ...) {
  char text[2 * PATH_MAX];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return (int)write(file, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

/* ---- memory ---- */

/* Pages of it are there once they are touched. What does not fit is asked of the kernel; nothing is given back, since we
   are gone in a moment or become another program. */
static _Alignas(16) char arena[512 * 1024];
static size_t arena_used;

struct block {
  _Alignas(16) size_t size;
};

static size_t whole_size(size_t size) { return (size + sizeof(struct block) + 15) & ~(size_t)15; }

static void *filled(void *block, size_t size) {
  if (block == MAP_FAILED) return NULL;
  ((struct block *)block)->size = size;
  return (struct block *)block + 1;
}

void *malloc(size_t size) {
  if (size > SIZE_MAX / 2) return NULL;
  size_t whole = whole_size(size);
  if (whole > sizeof arena - arena_used)
    return filled((void *)CALL6(mmap, NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), size);
  arena_used += whole;
  return filled(arena + arena_used - whole, size);
}

void free(void *bytes) { (void)bytes; }

void *realloc(void *bytes, size_t size) {
  if (!bytes) return malloc(size);
  struct block *block = (struct block *)bytes - 1;
  if (size <= block->size) return bytes;
  if (size > SIZE_MAX / 2) return NULL;
  if ((char *)block < arena || (char *)block >= arena + sizeof arena)
    return filled((void *)CALL6(mremap, block, whole_size(block->size), whole_size(size), MREMAP_MAYMOVE, 0, 0), size);
  void *more = malloc(size);
  if (more) memcpy(more, bytes, block->size);
  return more;
}

/* Fresh pages, of the arena or of the kernel, are zero. */
void *calloc(size_t count, size_t size) { return size > 0 && count > SIZE_MAX / size ? NULL : malloc(count * size); }

/* ---- the environment ---- */

static size_t find_variable(const char *name) {
  size_t index = 0, length = strlen(name);
  while (environ[index] && !(length_within(environ[index], length) == length &&
                             memcmp(environ[index], name, length) == 0 && environ[index][length] == '='))
    index++;
  return index;
}

char *getenv(const char *name) {
  char *entry = environ[find_variable(name)];
  return entry ? entry + strlen(name) + 1 : NULL;
}

int unsetenv(const char *name) {
  for (size_t index; environ[index = find_variable(name)];)
    do environ[index] = environ[index + 1];
    while (environ[index++]);
  return 0;
}

int setenv(const char *name, const char *value, int replace) {
  if (!replace && getenv(name)) return 0;
  size_t count = 0, length = strlen(name) + strlen(value) + 2;
  char *entry = malloc(length);
  if (!entry) return -1;
  snprintf(entry, length, "%s=%s", name, value);
  unsetenv(name);
  while (environ[count]) count++;
  char **list = malloc((count + 2) * sizeof *list);
  if (!list) return -1;
  memcpy(list, environ, count * sizeof *list);
  list[count] = entry;
  list[count + 1] = NULL;
  environ = list;
  return 0;
}
