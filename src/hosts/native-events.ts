/** A support table by native event: what a host is to call us for, each event once. */
import { eventRow } from "../core/event.ts";
import { type Support, type SupportRow, supportRows } from "./host.ts";

export interface NativeEvent {
  readonly event: string;
  readonly rows: readonly SupportRow[];
  /** The longest that any of its rows takes. */
  readonly timeoutMs: number;
  readonly blocksOnCrash: boolean;
  /** Whether it is about tools, which a registration may choose among. */
  readonly ofTools: boolean;
}

export function nativeEvents(support: Support): readonly NativeEvent[] {
  const table = supportRows(support);
  const natives = [...new Set(table.flatMap(({ native }) => native))];
  return natives.map((event) => {
    const rows = table.filter(({ native }) => native.includes(event));
    return {
      event,
      rows,
      timeoutMs: Math.max(...rows.map(({ timeoutMs }) => timeoutMs)),
      blocksOnCrash: rows.some(({ onCrash }) => onCrash === "blocks"),
      ofTools: rows.some((row) => eventRow(row.event).tool),
    };
  });
}
