/**
 * By which client and launcher know that Node, image and package are still those that fit together. An image is made
 * to bear the time of its Node, so an exchanged Node and an image that was written to are both seen by one comparison. The
 * bundle in the image must be the package's: code that is loaded later comes from there.
 */
import { statSync } from "node:fs";
import { bundleLine as lineOf } from "./bundle-line.ts";

export interface ImageMarks {
  readonly nodeSize: number;
  /** In whole seconds. */
  readonly nodeTime: number;
  readonly imageSize: number;
  readonly bundleSize: number;
  /** Names what comes after it: an upgrade may bring a bundle of the same size and time. */
  readonly bundleLine: string;
}

export interface ImageParts {
  readonly node: string;
  readonly image: string;
  readonly bundle: string;
}

/** undefined: one of them is missing, or image and Node are not of one time. */
export function imageMarks({ node, image, bundle }: ImageParts): ImageMarks | undefined {
  const [made, maker, source] = [image, node, bundle].map((file) =>
    statSync(file, { bigint: true, throwIfNoEntry: false }),
  );
  const bundleLine = source && lineOf(bundle);
  if (!made || !maker || !source || !bundleLine || made.mtimeNs !== maker.mtimeNs) return undefined;
  return {
    nodeSize: Number(maker.size),
    nodeTime: Number(maker.mtimeNs / 1_000_000_000n),
    imageSize: Number(made.size),
    bundleSize: Number(source.size),
    bundleLine,
  };
}
