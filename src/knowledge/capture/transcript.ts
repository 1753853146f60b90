/** What a host's transcript tells: who said what, and which files were read. */
import type { JsonObject } from "../../core/json.ts";
import type { Segment } from "./segment.ts";

export type TranscriptItem = Said | Read;

export interface Said extends Segment {
  readonly type: "said";
  /** Said again with the same key, it takes the place of what was said. */
  readonly key?: string;
  /** Pieces of one message: it goes on where the one right before it, of the same key, ended. */
  readonly goesOn?: true;
  /** In milliseconds; absent: it stands where it was said. */
  readonly at?: number;
}

export interface Read {
  readonly type: "read";
  /** Told again with the same key, it is the same reading. */
  readonly key?: string;
  readonly path: string;
}

/** Hears what of a transcript could not be used. */
export interface TranscriptFaults {
  /** Lines that are no JSON, other than a torn last one. */
  badLines: number;
  /** Lines too long to be read. */
  longLines: number;
}

/** Where a session stands that gave no path. */
export interface SessionPlace {
  /** As the host calls it. */
  readonly session: string;
  readonly homeDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface TranscriptFormat {
  /** undefined: there is none. */
  locate(place: SessionPlace): Promise<string | undefined>;
  items(path: string, session: string, faults: TranscriptFaults): AsyncGenerator<TranscriptItem>;
}

/** Of one line of a transcript. A reader may remember lines before it. */
export type LineReader = (record: JsonObject) => readonly TranscriptItem[];
