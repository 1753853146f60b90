/** Where an SDK passes a whole conversation: what of it the person said since the agent's last word. All of that is new. */
export function saidSince<M>(
  messages: readonly M[],
  { isAgents, isPersons }: { isAgents(message: M): boolean; isPersons(message: M): boolean },
): readonly M[] {
  // Words that are put into the agent's mouth, for it to go on from, answer nothing yet.
  const end = messages.findLastIndex((message) => !isAgents(message)) + 1;
  const start = messages.slice(0, end).findLastIndex(isAgents) + 1;
  return messages.slice(start, end).filter(isPersons);
}
