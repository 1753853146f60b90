/** What was found on the disk holds for a moment: until the next call, or until people have answered. */
let moment: object = {};

export function newMoment(): void {
  moment = {};
}

export const presentMoment = (): object => moment;
