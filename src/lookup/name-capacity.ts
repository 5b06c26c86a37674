import { Problem } from '../domain/problems.ts';

/** Reserves capacity for the names of an operation and returns its release. Throws `overloaded`. */
export type NameCapacity = (names: number, account: string) => () => void;

/**
 * Limits the names that are looked up concurrently: the records of an operation are in memory until
 * its response is sent, about 15 KB per name. An account gets at most half of the capacity that
 * other accounts do not use. Its only operation is accepted while any capacity is left.
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
        'Too many names are being looked up. Try again once earlier requests have completed.',
        { retryAfter: 1 },
      );
    }

    add(names, account);
    return () => add(-names, account);
  };
}
