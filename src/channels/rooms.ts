/** The rooms of a platform, which come in pages. */
import type { Room } from "../approvals/channel.ts";
import type { Json } from "../core/json.ts";
import { asObject, asText } from "./json-text.ts";

export interface RoomPage {
  readonly items: Json | undefined;
  /** Where the next page begins; empty: there is none. */
  readonly next: string;
  /** The field that has a room's id. */
  readonly id: string;
}

/** More rooms than on so many pages nobody looks through. */
const MAX_PAGES = 20;

export async function pagesOf(read: (page: string) => Promise<RoomPage>): Promise<readonly Room[]> {
  const rooms: Room[] = [];
  let page = "";
  for (let count = 0; count < MAX_PAGES; count++) {
    const { items, next, id } = await read(page);
    for (const item of Array.isArray(items) ? items : [])
      rooms.push({ id: asText(asObject(item)[id]), name: asText(asObject(item).name) });
    if (next === "") break;
    page = next;
  }
  return rooms;
}
