/*
 * `holdfast hook` without the start of Node: hands the call to the resident daemon and relays its answer.
 * Whatever is wrong, it becomes the Node program, which decides by itself; where not even that can be started, it
 * blocks. No path through this file lets a call pass. The protocol is in native/README.md.
 */
#ifdef __APPLE__
#define _DARWIN_C_SOURCE
#else
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#else
#include <sys/random.h>
#include <sys/syscall.h>
#endif

#ifndef HOLDFAST_NODE
#define HOLDFAST_NODE ""
#endif
#ifndef HOLDFAST_BUILD_ID
#error "HOLDFAST_BUILD_ID is missing: scripts/build.mjs makes it"
#endif
/* Only tests set it: a machine that runs them all at once is slow. */
#ifndef HOLDFAST_ACCEPTED_MS
#define HOLDFAST_ACCEPTED_MS 400
#endif
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

enum {
  SENT_MS = 400,
  ACCEPTED_MS = HOLDFAST_ACCEPTED_MS,
  JUDGED_MARGIN_MS = 200,
  JUDGED_LIMIT_MS = 60 * 60 * 1000,
  /* A daemon that judges says so every second. One that hangs is not waited for as long as a hook may take. */
  JUDGING_MS = 3000,
  ANSWER_MS = 3000,
  PEER_DEATH_MS = 1000,
  /* Below the 5 s of src/entry/hook/payload.ts, because Node has yet to start then. */
  INPUT_MS = 4500,
  /* The daemon counts from the request, the host from our start: the two may not drift apart. */
  PROMPT_INPUT_MS = 1000,

  PAYLOAD_LIMIT = 256 * 1024,
  /* That of src/entry/hook/payload.ts: one byte more and Node refuses it. */
  INPUT_LIMIT = 64 * 1024 * 1024,
  ANSWER_LIMIT = 16 * 1024 * 1024,
  INPUT_CHUNK = 64 * 1024,

  /* What hosts treat as a block. */
  EXIT_BLOCK = 2,
};

enum { MAGIC = 0x31464448, ACCEPTED = 1, JUDGED = 2, ANSWER = 3, DECLINED = 4, JUDGING = 5 };
enum { REQUEST_HEADER = 24, MESSAGE_HEADER = 8, ANSWER_HEADER = 12, ID_BYTES = 16 };

struct bytes {
  char *data;
  size_t length, capacity;
};

struct call {
  char **argv;
  int64_t started;
  int socket, peer_handle;
  pid_t peer;
  struct bytes input;
  size_t payload_length;
  char id[2 * ID_BYTES + 1];
  /* From its request on the daemon may say JUDGED, and from that on it may have recorded the call. */
  bool asked, granted;
};

extern char **environ;

_Noreturn static void block(const char *problem) {
  dprintf(STDERR_FILENO, "error HF701  Holdfast cannot start (%s): run `npm run build` in its checkout\n", problem);
  exit(EXIT_BLOCK);
}

static void reserve(struct bytes *bytes, size_t more) {
  if (bytes->length + more <= bytes->capacity) return;
  bytes->capacity = 2 * (bytes->length + more);
  bytes->data = realloc(bytes->data, bytes->capacity);
  if (!bytes->data) block("out of memory");
}

static void append(struct bytes *bytes, const void *data, size_t length) {
  if (length == 0) return;
  reserve(bytes, length);
  memcpy(bytes->data + bytes->length, data, length);
  bytes->length += length;
}

static void put_u32(char *at, uint32_t value) {
  for (int index = 0; index < 4; index++) at[index] = (char)(value >> (8 * index));
}

static uint32_t get_u32(const char *at) {
  uint32_t value = 0;
  for (int index = 3; index >= 0; index--) value = value << 8 | (unsigned char)at[index];
  return value;
}

static int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Looks at least once: what has arrived counts, however late we come to look. */
static bool is_ready(int file, short events, int64_t deadline) {
  for (;;) {
    int64_t left = deadline - now_ms();
    struct pollfd wanted = {.fd = file, .events = events};
    int found = poll(&wanted, 1, left > 0 ? (int)left : 0);
    if (found >= 0 || errno != EINTR) return found > 0;
  }
}

static bool is_passing(int error) { return error == EINTR || error == EAGAIN || error == EWOULDBLOCK; }

static bool write_whole(int file, const char *data, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, data, length);
    if (written < 0 && !is_passing(errno)) return false;
    if (written < 0) {
      is_ready(file, POLLOUT, now_ms() + 1000);
      continue;
    }
    data += written;
    length -= (size_t)written;
  }
  return true;
}

/* ---- the input ---- */

struct scan {
  size_t depth, at;
  bool in_string, escaped, started;
};

enum scan_state { OPEN, COMPLETE, NOT_AN_OBJECT };

/* The same as src/entry/hook/object-scan.ts. */
static enum scan_state scan_object(struct scan *scan, const struct bytes *input) {
  while (scan->at < input->length) {
    char byte = input->data[scan->at++];
    if (scan->escaped) {
      scan->escaped = false;
    } else if (scan->in_string) {
      scan->escaped = byte == '\\';
      scan->in_string = byte != '"';
    } else if (byte == '"' && scan->started) {
      scan->in_string = true;
    } else if (byte == '{') {
      scan->started = true;
      scan->depth++;
    } else if (byte == '}' && scan->started) {
      if (--scan->depth == 0) return COMPLETE;
    } else if (!scan->started && !memchr(" \t\n\r\xef\xbb\xbf", byte, 7)) {
      return NOT_AN_OBJECT;
    }
  }
  return OPEN;
}

/* The end of the input, an error and too long a wait are one: there is no more. */
static bool read_more(struct bytes *input, int64_t deadline) {
  reserve(input, INPUT_CHUNK);
  for (;;) {
    if (!is_ready(STDIN_FILENO, POLLIN, deadline)) return false;
    ssize_t count = read(STDIN_FILENO, input->data + input->length, input->capacity - input->length);
    if (count < 0 && is_passing(errno)) continue;
    if (count <= 0) return false;
    input->length += (size_t)count;
    return true;
  }
}

/* Until the object is whole, or there is no more of it that we would take. */
static enum scan_state read_object(struct bytes *input, struct scan *scan, int64_t deadline) {
  enum scan_state state = OPEN;
  while (state == OPEN && input->length <= INPUT_LIMIT && read_more(input, deadline)) state = scan_object(scan, input);
  return state;
}

/* ---- Node ---- */

#ifdef HOLDFAST_PROGRAM
/* Built for an installed package, we lie in the user's state. */
static bool find_program(char program[PATH_MAX]) {
  return snprintf(program, PATH_MAX, "%s", HOLDFAST_PROGRAM) < PATH_MAX;
}
#else
#ifdef __APPLE__
static bool own_path(char path[PATH_MAX]) {
  char given[PATH_MAX];
  uint32_t size = sizeof given;
  return _NSGetExecutablePath(given, &size) == 0 && realpath(given, path) != NULL;
}
#else
static bool own_path(char path[PATH_MAX]) {
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  return true;
}
#endif

/* We are <root>/dist/native/holdfast. By the text alone: a build that is just replacing us has moved the folders. */
static bool find_program(char program[PATH_MAX]) {
  char path[PATH_MAX];
  if (!own_path(path)) return false;
  for (int level = 0; level < 3; level++) {
    char *slash = strrchr(path, '/');
    if (!slash) return false;
    *slash = '\0';
  }
  int length = snprintf(program, PATH_MAX, "%s/bin/holdfast", path);
  return length > 0 && length < PATH_MAX;
}
#endif

static void set_variable(const char *name, const char *value) {
  if (setenv(name, value, 1) != 0) block("out of memory");
}

#ifdef HOLDFAST_IMAGE_SIZE
static char *image_options[] = {HOLDFAST_IMAGE_OPTIONS};
static const size_t image_option_count = sizeof image_options / sizeof *image_options;

static bool below_root(char path[PATH_MAX], const char *program, const char *name) {
  size_t root = strlen(program) - strlen("/bin/holdfast");
  return snprintf(path, PATH_MAX, "%.*s%s", (int)root, program, name) < PATH_MAX;
}

#ifdef HOLDFAST_IMAGE
/* It lies beside us in the user's state. Its name has its digest in it, so it is the one that was made with us. */
static bool image_place(char image[PATH_MAX], const char *program) {
  (void)program;
  return snprintf(image, PATH_MAX, "%s", HOLDFAST_IMAGE) < PATH_MAX;
}
#else
static bool image_place(char image[PATH_MAX], const char *program) {
  return below_root(image, program, "/dist/hook.image");
}
#endif

/* The bundle's first line names the rest of it. */
static bool is_own_bundle(const char *bundle) {
  const char wanted[] = HOLDFAST_BUNDLE_LINE "\n";
  char found[sizeof wanted - 1];
  struct stat state;
  if (stat(bundle, &state) != 0 || state.st_size != HOLDFAST_BUNDLE_SIZE) return false;
  int file = open(bundle, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool same = read(file, found, sizeof found) == (ssize_t)sizeof found && memcmp(found, wanted, sizeof found) == 0;
  close(file);
  return same;
}

/* The image of a Node that has the bundle loaded fits only the Node that made it, whose time it bears; any other, or
   a damaged image, would make Node end with a code that hosts take for consent. And it loads more from the package, which
   must be the one whose bundle it has. */
static bool find_image(char image[PATH_MAX], const char *program) {
  struct stat node, found;
  char bundle[PATH_MAX];
  return image_place(image, program) && below_root(bundle, program, "/dist/hook.cjs") &&
         stat(HOLDFAST_NODE, &node) == 0 && node.st_size == HOLDFAST_NODE_SIZE &&
         node.st_mtime == HOLDFAST_NODE_MTIME && stat(image, &found) == 0 && found.st_size == HOLDFAST_IMAGE_SIZE &&
         found.st_mtime == HOLDFAST_NODE_MTIME && access(image, R_OK) == 0 && is_own_bundle(bundle);
}
#else
static char *image_options[1];
static const size_t image_option_count = 0;

static bool find_image(char image[PATH_MAX], const char *program) {
  (void)image, (void)program;
  return false;
}
#endif

static void ask_for_large_pages(void) {
#if defined(__linux__) && defined(HOLDFAST_IMAGE_TUNABLES)
  if (getenv("GLIBC_TUNABLES")) return;
  set_variable("GLIBC_TUNABLES", HOLDFAST_IMAGE_TUNABLES);
  set_variable("HOLDFAST_CALL_GLIBC_TUNABLES", "");
#endif
}

/* Not execvp: that hands a damaged file to sh, which ends well. */
static void execute_in_path(const char *name, char **argv) {
  const char *path = getenv("PATH");
  for (const char *at = path ? path : "/usr/local/bin:/usr/bin:/bin"; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
    char file[PATH_MAX];
    int length = (int)strcspn(at, ":");
    if (snprintf(file, sizeof file, "%.*s/%s", length ? length : 1, length ? at : ".", name) < PATH_MAX) execv(file, argv);
  }
}

/* A Node that does not find its program exits with 1, which hosts take for consent: so we look first. */
_Noreturn static void become_node(char **argv, bool as_hook) {
  char program[PATH_MAX], image[PATH_MAX];
  if (!find_program(program) || access(program, R_OK) != 0) block("bin/holdfast is missing");
  size_t count = 0;
  while (argv[count]) count++;
  char **words = calloc(count + image_option_count + 5, sizeof *words);
  if (!words) block("out of memory");
  char **plain = words + image_option_count + 2;
  plain[1] = program;
  for (size_t index = 1; index < count; index++) plain[index + 1] = argv[index];
  if (as_hook && find_image(image, program)) {
    words[0] = "node";
    for (size_t index = 0; index < image_option_count; index++) words[index + 1] = image_options[index];
    plain[-1] = "--snapshot-blob";
    plain[0] = image;
    ask_for_large_pages();
    execv(HOLDFAST_NODE, words);
  }
  plain[0] = "node";
  execv(HOLDFAST_NODE, plain);
  execute_in_path("node", plain);
  block("there is no node");
}

static int temporary_file(void) {
#ifdef __linux__
  int memory = memfd_create("holdfast-input", MFD_CLOEXEC);
  return memory >= 0 ? memory : open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#else
  FILE *file = tmpfile();
  return file ? fileno(file) : -1;
#endif
}

/* As a file, which Node reads several milliseconds faster than a pipe. No writer has to outlive us for this: either the
   object is whole, or Node would refuse it too. */
static void give_back_input(struct bytes *input, int64_t deadline) {
  struct scan scan = {0};
  bool untouched = input->data == NULL;
  if (untouched) read_object(input, &scan, deadline);
  int file = temporary_file();
  if (file < 0 || !write_whole(file, input->data, input->length) || lseek(file, 0, SEEK_SET) != 0 ||
      dup2(file, STDIN_FILENO) < 0)
    block("the input cannot be passed on");
  close(file);
}

/* Ends the daemon's right to record the call, and tells whether it has used it. Who shuts a socket for reading decides it
   in the kernel: either JUDGED lies in it already, or the daemon cannot send it any more, and then it records nothing. */
static bool was_claimed(const struct call *call) {
#ifdef __linux__
  char header[MESSAGE_HEADER], limit[4];
  shutdown(call->socket, SHUT_RD);
  while (recv(call->socket, header, sizeof header, MSG_DONTWAIT) == sizeof header) {
    uint32_t kind = get_u32(header);
    if (kind == JUDGED) return true;
    if (kind != JUDGING && (kind != ACCEPTED || recv(call->socket, limit, sizeof limit, MSG_DONTWAIT) < 0)) break;
  }
  return false;
#else
  /* Elsewhere what lies in the socket is lost with that: it may have. */
  (void)call;
  return true;
#endif
}

/* Node looks into the records next, so the daemon must be gone, not just about to go. */
static void end_peer(const struct call *call) {
#ifdef SYS_pidfd_send_signal
  if (call->peer_handle >= 0) {
    syscall(SYS_pidfd_send_signal, call->peer_handle, SIGKILL, NULL, 0);
    is_ready(call->peer_handle, POLLIN, now_ms() + PEER_DEATH_MS);
    return;
  }
#endif
  int64_t deadline = now_ms() + PEER_DEATH_MS;
  while (kill(call->peer, SIGKILL) == 0 && now_ms() < deadline) poll(NULL, 0, 1);
}

static void hide_variable(const char *name, const char *hidden) {
  const char *value = getenv(name);
  if (!value) return;
  set_variable(hidden, value);
  unsetenv(name);
}

/* Meant for other programs of the person's: options and settings that Node refuses would make it exit, which hosts take for
   consent, and reading certificates takes it longer than our whole call. Hooks get them back. */
static void hide_node_settings(void) {
  hide_variable("NODE_OPTIONS", "HOLDFAST_CALL_NODE_OPTIONS");
  hide_variable("NODE_EXTRA_CA_CERTS", "HOLDFAST_CALL_CA_CERTS");
  hide_variable("OPENSSL_CONF", "HOLDFAST_CALL_OPENSSL_CONF");
}

/* `reason` is NULL where nothing is wrong with the daemon: the input itself is for Node. */
_Noreturn static void fall_back(struct call *call, const char *reason) {
  if (call->asked && !call->granted) call->granted = was_claimed(call);
  if (call->granted) end_peer(call);
  if (reason) set_variable("HOLDFAST_FALLBACK", reason);
  if (call->id[0]) set_variable("HOLDFAST_CALL_ID", call->id);
  if (call->granted) set_variable("HOLDFAST_CALL_STATE", "granted");
  give_back_input(&call->input, call->started + INPUT_MS);
  char elapsed[24];
  snprintf(elapsed, sizeof elapsed, "%lld", (long long)(now_ms() - call->started));
  set_variable("HOLDFAST_CALL_ELAPSED_MS", elapsed);
  hide_node_settings();
  become_node(call->argv, true);
}

/* ---- the socket ---- */

/* As node:path's resolve does it: by the text alone, whatever is a link. */
static void normalise(char *path) {
  char *end = path;
  for (const char *part = path; *part;) {
    size_t length = strcspn(part, "/");
    const char *next = part + length + (part[length] == '/');
    if (length == 2 && memcmp(part, "..", 2) == 0) {
      while (end > path && *--end != '/') continue;
    } else if (length > 0 && !(length == 1 && *part == '.')) {
      *end++ = '/';
      memmove(end, part, length);
      end += length;
    }
    part = next;
  }
  *end = '\0';
}

static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

static bool resolve(char path[PATH_MAX], const char *base, const char *below) {
  char cwd[PATH_MAX] = "";
  if (base[0] != '/' && !getcwd(cwd, sizeof cwd)) return false;
  int length = snprintf(path, PATH_MAX, "%s/%s%s", cwd, base, below);
  if (length < 0 || length >= PATH_MAX) return false;
  normalise(path);
  return true;
}

/* The same as placesOf in src/config/places.ts. */
static bool find_state_dir(char path[PATH_MAX]) {
  const char *base;
  if ((base = variable("HOLDFAST_STATE_DIR"))) return resolve(path, base, "");
  if ((base = variable("XDG_STATE_HOME"))) return resolve(path, base, "/holdfast");
  if ((base = variable("HOME"))) return resolve(path, base, "/.local/state/holdfast");
  return false;
}

/* NULL if it is ours alone. */
static const char *what_is_wrong_with(const char *path, mode_t type) {
  struct stat found;
  if (lstat(path, &found) != 0) return errno == ENOENT ? "absent" : "unsafe";
  bool ours = (found.st_mode & S_IFMT) == type && found.st_uid == geteuid() && (found.st_mode & 077) == 0;
  return ours ? NULL : "unsafe";
}

static void find_socket(struct call *call, struct sockaddr_un *address) {
  char path[PATH_MAX];
  if (!find_state_dir(path)) fall_back(call, "off");
  address->sun_family = AF_UNIX;
  int length = snprintf(address->sun_path, sizeof address->sun_path, "%s/run/" HOLDFAST_BUILD_ID ".sock", path);
  if (length < 0 || (size_t)length >= sizeof address->sun_path) fall_back(call, "off");
  /* Shorter than the path that has just fitted. */
  strcat(path, "/run");
  const char *problem = what_is_wrong_with(path, S_IFDIR);
  if (!problem) problem = what_is_wrong_with(address->sun_path, S_IFSOCK);
  if (problem) fall_back(call, problem);
}

#ifdef __APPLE__
static bool identify_peer(int socket, uid_t *user, pid_t *process) {
  gid_t group;
  socklen_t size = sizeof *process;
  return getpeereid(socket, user, &group) == 0 && getsockopt(socket, SOL_LOCAL, LOCAL_PEERPID, process, &size) == 0;
}
#else
static bool identify_peer(int socket, uid_t *user, pid_t *process) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  *user = peer.uid;
  *process = peer.pid;
  return true;
}
#endif

/* A process id may belong to somebody else by the time we kill; a handle may not. */
static int handle_of(pid_t process) {
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, process, 0);
#else
  errno = process > 0 ? ENOSYS : ESRCH;
  return -1;
#endif
}

static void connect_to_daemon(struct call *call) {
  struct sockaddr_un address = {0};
  find_socket(call, &address);
  call->socket = socket(AF_UNIX, SOCK_STREAM, 0);
  if (call->socket < 0) fall_back(call, "refused");
  fcntl(call->socket, F_SETFD, FD_CLOEXEC);
  /* A daemon that hangs with a full queue would otherwise hold us in connect. */
  fcntl(call->socket, F_SETFL, O_NONBLOCK);
#ifdef SO_NOSIGPIPE
  setsockopt(call->socket, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
  if (connect(call->socket, (struct sockaddr *)&address, sizeof address) != 0) fall_back(call, "refused");
  uid_t user;
  if (!identify_peer(call->socket, &user, &call->peer) || user != geteuid()) fall_back(call, "unsafe");
  /* 0 is a process outside our namespace: killing it later would kill our own group instead. */
  if (call->peer <= 1) fall_back(call, "unsafe");
  call->peer_handle = handle_of(call->peer);
  if (call->peer_handle < 0 && errno == ESRCH) fall_back(call, "broken");
}

static void read_input(struct call *call) {
  struct scan scan = {0};
  enum scan_state state = read_object(&call->input, &scan, call->started + INPUT_MS);
  if (scan.at > PAYLOAD_LIMIT) fall_back(call, "large");
  if (state != COMPLETE || now_ms() - call->started > PROMPT_INPUT_MS) fall_back(call, NULL);
  call->payload_length = scan.at;
}

/* ---- the conversation ---- */

static bool make_id(char id[2 * ID_BYTES + 1]) {
  unsigned char random[ID_BYTES];
#ifdef __APPLE__
  arc4random_buf(random, sizeof random);
#else
  if (getrandom(random, sizeof random, 0) != sizeof random) return false;
#endif
  for (size_t index = 0; index < 2 * sizeof random; index++)
    id[index] = "0123456789abcdef"[random[index / 2] >> (index % 2 ? 0 : 4) & 15];
  return true;
}

static uint32_t append_list(struct bytes *bytes, char **list) {
  size_t before = bytes->length;
  for (; *list; list++) append(bytes, *list, strlen(*list) + 1);
  return (uint32_t)(bytes->length - before);
}

static struct bytes make_request(struct call *call) {
  char cwd[PATH_MAX], header[REQUEST_HEADER];
  if (!getcwd(cwd, sizeof cwd) || !make_id(call->id)) fall_back(call, "off");
  struct bytes request = {0};
  append(&request, header, sizeof header);
  put_u32(request.data, MAGIC);
  uint32_t argv_length = append_list(&request, call->argv + 1);
  put_u32(request.data + 4, argv_length);
  uint32_t env_length = append_list(&request, environ);
  put_u32(request.data + 8, env_length);
  put_u32(request.data + 12, (uint32_t)strlen(cwd));
  append(&request, cwd, strlen(cwd));
  put_u32(request.data + 16, (uint32_t)call->payload_length);
  append(&request, call->input.data, call->payload_length);
  put_u32(request.data + 20, (uint32_t)strlen(call->id));
  append(&request, call->id, strlen(call->id));
  return request;
}

/* A daemon that declines does not read on: what we could not send, its answer explains. */
static void send_whole(struct call *call, const char *data, size_t length, int64_t deadline) {
  while (length > 0) {
    ssize_t sent = send(call->socket, data, length, MSG_NOSIGNAL);
    if (sent < 0 && !is_passing(errno)) return;
    if (sent < 0) {
      if (!is_ready(call->socket, POLLOUT, deadline)) fall_back(call, "silent");
      continue;
    }
    data += sent;
    length -= (size_t)sent;
  }
}

static void receive(struct call *call, char *data, size_t length, int64_t deadline, const char *lateness) {
  while (length > 0) {
    ssize_t count = recv(call->socket, data, length, 0);
    if (count < 0 && is_passing(errno)) {
      if (!is_ready(call->socket, POLLIN, deadline)) fall_back(call, lateness);
      continue;
    }
    if (count <= 0) fall_back(call, "broken");
    data += count;
    length -= (size_t)count;
  }
}

struct message {
  uint32_t kind, length;
};

static struct message next_message(struct call *call, int64_t deadline, const char *lateness) {
  char header[MESSAGE_HEADER];
  receive(call, header, sizeof header, deadline, lateness);
  struct message message = {get_u32(header), get_u32(header + 4)};
  if (message.kind == DECLINED && !call->granted) {
    /* It has said that it will not record the call: there is nothing to find out, and nobody to kill. */
    call->asked = false;
    fall_back(call, message.length > 0 ? "large" : "refused");
  }
  return message;
}

/* The length of a message of the kind that is due. */
static uint32_t await(struct call *call, uint32_t kind, int64_t deadline, const char *lateness) {
  struct message message = next_message(call, deadline, lateness);
  if (message.kind != kind) fall_back(call, "broken");
  return message.length;
}

static void ask(struct call *call) {
  struct bytes request = make_request(call);
  call->asked = true;
  send_whole(call, request.data, request.length, now_ms() + SENT_MS);
  free(request.data);
}

static void await_judgement(struct call *call) {
  char limit[4];
  int64_t deadline = now_ms() + ACCEPTED_MS;
  if (await(call, ACCEPTED, deadline, "silent") != sizeof limit) fall_back(call, "broken");
  receive(call, limit, sizeof limit, deadline, "silent");
  if (get_u32(limit) > JUDGED_LIMIT_MS) fall_back(call, "broken");
  deadline = now_ms() + get_u32(limit) + JUDGED_MARGIN_MS;
  struct message message;
  do {
    int64_t hung = now_ms() + JUDGING_MS;
    message = next_message(call, hung < deadline ? hung : deadline, "late");
    if (message.length != 0) fall_back(call, "broken");
  } while (message.kind == JUDGING && now_ms() < deadline);
  if (message.kind != JUDGED) fall_back(call, message.kind == JUDGING ? "late" : "broken");
  call->granted = true;
}

static struct bytes await_answer(struct call *call) {
  int64_t deadline = now_ms() + ANSWER_MS;
  struct bytes answer = {0};
  answer.length = await(call, ANSWER, deadline, "late");
  if (answer.length < ANSWER_HEADER || answer.length > ANSWER_LIMIT) fall_back(call, "broken");
  answer.data = malloc(answer.length);
  if (!answer.data) block("out of memory");
  receive(call, answer.data, answer.length, deadline, "late");
  uint64_t told = (uint64_t)get_u32(answer.data + 4) + get_u32(answer.data + 8);
  if (get_u32(answer.data) > 255 || told != answer.length - ANSWER_HEADER) fall_back(call, "broken");
  return answer;
}

/* A host that no longer listens is no failure of ours. */
static int relay(const struct bytes *answer) {
  const char *text = answer->data + ANSWER_HEADER;
  uint32_t out = get_u32(answer->data + 4), err = get_u32(answer->data + 8);
  signal(SIGPIPE, SIG_IGN);
  /* A block that cannot be said would end as consent; where nobody listens, nobody is told. */
  if (!write_whole(STDOUT_FILENO, text, out) && errno != EPIPE) {
    static const char unsaid[] = "holdfast: the answer could not be written to standard output, so the call is blocked\n";
    write_whole(STDERR_FILENO, unsaid, sizeof unsaid - 1);
    return EXIT_BLOCK;
  }
  write_whole(STDERR_FILENO, text + out, err);
  return (int)get_u32(answer->data);
}

/* ---- the call ---- */

/* Otherwise a socket of ours could take the place of a stream that the host left closed. For reading only: what is written
   to it must fail, since nobody hears it. */
static void occupy_standard_streams(void) {
  int file;
  do file = open("/dev/null", O_RDONLY);
  while (file >= 0 && file <= STDERR_FILENO);
  if (file >= 0) close(file);
}

/* Only we say these, and only to the Node we become: an agent's environment may not. */
static void forget_earlier_call(void) {
  const char *names[] = {"HOLDFAST_FALLBACK", "HOLDFAST_CALL_ID", "HOLDFAST_CALL_STATE", "HOLDFAST_CALL_ELAPSED_MS",
                         "HOLDFAST_CALL_CA_CERTS", "HOLDFAST_CALL_NODE_OPTIONS", "HOLDFAST_CALL_GLIBC_TUNABLES",
                         "HOLDFAST_CALL_OPENSSL_CONF"};
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) unsetenv(names[index]);
}

static bool is_hook_call(int argc, char **argv) {
  if (argc < 2 || strcmp(argv[1], "hook") != 0) return false;
  return argc < 3 || (strcmp(argv[2], "--help") != 0 && strcmp(argv[2], "-h") != 0);
}

static bool is_switched_off(void) {
  const char *daemon = variable("HOLDFAST_DAEMON");
  return (daemon && strcmp(daemon, "off") == 0) || getenv("HOLDFAST_INTERNAL");
}

/* By which a build sees that what it linked runs here. */
static int tell_build_id(void) {
  return write_whole(STDOUT_FILENO, HOLDFAST_BUILD_ID "\n", strlen(HOLDFAST_BUILD_ID "\n")) ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--client-build-id") == 0) return tell_build_id();
  struct call call = {.argv = argv, .started = now_ms(), .socket = -1, .peer_handle = -1};
  occupy_standard_streams();
  /* A file that may not grow is an error to us, and no reason to die, which hosts take for consent. */
  signal(SIGXFSZ, SIG_IGN);
  forget_earlier_call();
  /* Copilot CLI calls a plugin's hook by nothing but its file. */
  if (argc == 1 && getenv("COPILOT_PROJECT_DIR")) hide_node_settings();
  if (!is_hook_call(argc, argv)) become_node(argv, false);
  if (is_switched_off()) fall_back(&call, "off");
  connect_to_daemon(&call);
  read_input(&call);
  ask(&call);
  await_judgement(&call);
  struct bytes answer = await_answer(&call);
  _exit(relay(&answer));
}
