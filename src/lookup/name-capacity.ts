import { Problem } from '../domain/problems.ts';

/** Makes room for the names of an operation; throws `overloaded` when there is none, else returns how to give it back. */
export type Room = (names: number, account: string) => () => void;

/**
 * Room for `most` names at once: the records of all names of an operation are in memory until it has been answered, some 15 KB each. Nobody
 * is given more than half of what the others leave, so that there is some left for somebody else; the only operation of an account fits as long as there is any.
 */
export function createRoom(most = 40_000): Room {
  const taken = new Map<string, number>();
  let all = 0;

  function take(names: number, account: string): void {
    const own = (taken.get(account) ?? 0) + names;
    all += names;
    if (own > 0) taken.set(account, own);
    else taken.delete(account);
  }

  return (names, account) => {
    const own = taken.get(account) ?? 0;
    if (all >= most || (own > 0 && own + names > (most - (all - own)) / 2)) {
      throw new Problem(
        'overloaded',
        'Too many names are being looked up; ask again when earlier answers have come.',
        { retryAfter: 1 },
      );
    }
    take(names, account);
    return () => take(-names, account);
  };
}
