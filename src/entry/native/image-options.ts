/**
 * How Node is started on the image of itself. An image fits only the options it was made with, so who makes it and who
 * starts it take them from here. In a process that ends after one call, compiling twice and other threads do not pay.
 * With the table of strings as it was in the image, who writes a payload could make many keys collide: that makes
 * a call slow, and a slow guard is a closed one.
 */
export const IMAGE_OPTIONS: readonly string[] = [
  "--no-rehash-snapshot",
  "--no-sparkplug",
  "--single-threaded",
  "--v8-pool-size=1",
];

/**
 * For the C library that Node runs on: Node copies the image several times while it reads it. In large pages, and in one
 * piece, that is thousands of page faults less; the process is gone before anybody misses the memory. One arena for all
 * threads: otherwise each of them takes a large page for the few bytes it needs to end.
 */
export const IMAGE_TUNABLES = [
  "glibc.malloc.hugetlb=1",
  "glibc.malloc.top_pad=33554432",
  "glibc.malloc.mmap_threshold=67108864",
  "glibc.malloc.arena_max=1",
].join(":");
