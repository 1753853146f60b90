/** Texts of hooks on their way to the model: labelled as theirs, in the form models are used to. */
export const reminder = (texts: readonly string[]): string =>
  `<system-reminder>\nFrom the hooks of this agent, not from the person:\n${texts.join("\n\n")}\n</system-reminder>`;
