import type { Turn } from "./wire.ts";

export interface Message {
  readonly from: "model" | "user" | "host";
  readonly texts: readonly string[];
}

/** What the model was told, of messages in their order. */
export function readConversation(messages: readonly Message[]): Pick<Turn, "opening" | "texts"> {
  const firstAnswer = messages.findIndex(({ from }) => from === "model");
  const prelude = firstAnswer === -1 ? messages : messages.slice(0, firstAnswer);
  return {
    opening: textsFrom(prelude, ["user"]).join("\n"),
    texts: textsFrom(messages, ["user", "host"]),
  };
}

function textsFrom(messages: readonly Message[], speakers: readonly Message["from"][]): string[] {
  return messages.flatMap(({ from, texts }) => (speakers.includes(from) ? texts : []));
}
