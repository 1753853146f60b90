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
