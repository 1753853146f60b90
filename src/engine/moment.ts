/** What was found on the disk holds for a moment: until the next call, or until a call goes on after it waited. */
let moment: object = {};

export function newMoment(): void {
  moment = {};
}

export const presentMoment = (): object => moment;
