/**
 * An image says in its header which V8 made it, and Node ends with 14, which hosts take for consent, where its own is another.
 * What is compared also holds what the processor can do: an image in a container, on a shared home or in a moved
 * machine would open every call. There is no machine code in it, so it may say that nothing needs to be compared.
 */

/** How Node writes it: a mark, a kind, three texts each after its length, V8's number, and flags. */
const MARK_AND_KIND = 5;
const LENGTH = 8;
/** Node compares V8's number only without it. */
const WITHOUT_CODE_CACHE = 1;
/** None of V8's numbers: an image that is used although it has it was not compared. */
const NO_NUMBER = 0;

export interface MadeBy {
  readonly version: string;
  readonly arch: string;
  readonly platform: string;
}

/** Changes the image; false: its header is not as we know it, and nothing was changed. */
export function forAnyProcessor(image: Buffer, { version, arch, platform }: MadeBy): boolean {
  let at = MARK_AND_KIND;
  for (const text of [version, arch, platform]) {
    const wanted = Buffer.alloc(LENGTH + text.length);
    wanted.writeUInt32LE(text.length);
    wanted.write(text, LENGTH, "latin1");
    if (!image.subarray(at, at + wanted.length).equals(wanted)) return false;
    at += wanted.length;
  }
  if (at + 8 > image.length || image.readUInt32LE(at + 4) > WITHOUT_CODE_CACHE) return false;
  image.writeUInt32LE(NO_NUMBER, at);
  image.writeUInt32LE(WITHOUT_CODE_CACHE, at + 4);
  return true;
}
