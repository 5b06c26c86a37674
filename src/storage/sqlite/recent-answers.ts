import type { StoredAnswer } from '../../cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';

/** Answers that were read lately, as they were read: reading JSON again costs more than all the rest of a look-up. */
export interface RecentAnswers {
  get(name: DomainName): StoredAnswer | undefined;
  /** Whether it is known what stands there, or that nothing does. */
  has(name: DomainName): boolean;
  /** `size`: characters of the JSON that it was read from. */
  keep(answer: StoredAnswer, size: number): void;
  /** For these there is none: nobody else writes the file, and a name that is new is looked for twice in an operation. */
  keepAbsent(names: readonly DomainName[]): void;
  forget(name: DomainName): void;
  clear(): void;
}

/** Holds answers of `mostSize` characters in all; then it forgets the one that was used least recently. */
export function recentAnswers(mostSize: number): RecentAnswers {
  // A Map remembers the order of insertion: a name that is used moves to the end.
  const kept = new Map<DomainName, { readonly answer: StoredAnswer; readonly size: number }>();
  const absent = new Set<DomainName>();
  let all = 0;

  function forget(name: DomainName): void {
    absent.delete(name);
    all -= kept.get(name)?.size ?? 0;
    kept.delete(name);
  }

  return {
    get(name) {
      const found = kept.get(name);
      if (!found) return undefined;
      kept.delete(name);
      kept.set(name, found);
      return found.answer;
    },
    has: (name) => kept.has(name) || absent.has(name),
    keep(answer, size) {
      forget(answer.name);
      kept.set(answer.name, { answer, size });
      all += size;
      for (const [name] of kept) {
        if (all <= mostSize) break;
        forget(name);
      }
    },
    keepAbsent(names) {
      if (absent.size > mostAbsent) absent.clear();
      for (const name of names) absent.add(name);
    },
    forget,
    clear() {
      absent.clear();
      kept.clear();
      all = 0;
    },
  };
}

/** Some 100 bytes each. */
const mostAbsent = 10_000;
