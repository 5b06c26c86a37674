import { Problem } from '../domain/problems.ts';

/** Makes room for the names of an operation; throws `overloaded` when there is none, else returns how to give it back. */
export type NameCapacity = (names: number, account: string) => () => void;

/**
 * Room for `most` names at once: the records of all names of an operation are in memory until it has been answered, some 15 KB each. Nobody
 * is given more than half of what the others leave, so that there is some left for somebody else; the only operation of an account fits as long as there is any.
 */
export function createNameCapacity(maxNames = 40_000): NameCapacity {
  const namesByAccount = new Map<string, number>();
  let total = 0;

  function add(names: number, account: string): void {
    const own = (namesByAccount.get(account) ?? 0) + names;
    total += names;
    if (own > 0) namesByAccount.set(account, own);
    else namesByAccount.delete(account);
  }

  return (names, account) => {
    const own = namesByAccount.get(account) ?? 0;
    if (total >= maxNames || (own > 0 && own + names > (maxNames - (total - own)) / 2)) {
      throw new Problem(
        'overloaded',
        'Too many names are being looked up; ask again when earlier answers have come.',
        { retryAfter: 1 },
      );
    }
    add(names, account);
    return () => add(-names, account);
  };
}
