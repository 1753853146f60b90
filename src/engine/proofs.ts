/** What `verify` has proven on which version of a host: kept, so that `doctor` can say when it no longer holds. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "../config/places.ts";
import { writePrivateFile } from "../config/private-file.ts";

export interface Proof {
  readonly host: string;
  /** The project whose registration was proven. */
  readonly root: string;
  /** The host's. */
  readonly version: string;
  /** Holdfast's. */
  readonly holdfast: string;
  readonly at: string;
  readonly proven: boolean;
}

export function readProof(host: string, root: string, places: Places): Proof | undefined {
  return readProofs(places).find((proof) => proof.host === host && proof.root === root);
}

export function saveProof(proof: Proof, places: Places): void {
  const others = readProofs(places).filter(({ host, root }) => host !== proof.host || root !== proof.root);
  writePrivateFile(fileOf(places), JSON.stringify([...others, proof].slice(-MAX_PROOFS), null, 2));
}

const MAX_PROOFS = 500;
const fileOf = ({ stateDir }: Places) => join(stateDir, "proofs.json");

function readProofs(places: Places): Proof[] {
  try {
    const proofs: unknown = JSON.parse(readFileSync(fileOf(places), "utf8"));
    return Array.isArray(proofs) ? proofs : [];
  } catch {
    return [];
  }
}
