import type { Extent, StoredAnswer } from '../../cache/store.ts';
import type { DomainName } from '../../domain/domain-name.ts';

/** Answers that were read lately, as they were read: reading JSON again costs more than all the rest of a look-up. */
export interface RecentAnswers {
  get(name: DomainName, extent: Extent): StoredAnswer | undefined;
  /** Whether it is known what stands there, or that nothing does. */
  has(name: DomainName, extent: Extent): boolean;
  /** `extent`: what was read of it; `size`: characters of the JSON that it was read from. */
  keep(answer: StoredAnswer, extent: Extent, size: number): void;
  /** For these there is none: nobody else writes the file, and a name that is new is looked for twice in an operation. */
  keepAbsent(names: readonly DomainName[]): void;
  forget(name: DomainName): void;
  clear(): void;
}

/** Holds answers of `mostSize` characters in all; then it forgets those that were used least recently. */
export function recentAnswers(mostSize: number): RecentAnswers {
  // A Map remembers the order of insertion: a name that is used moves to the end.
  const kept = new Map<DomainName, Kept>();
  const absent = new Set<DomainName>();
  let all = 0;

  function forget(name: DomainName): void {
    absent.delete(name);
    all -= kept.get(name)?.size ?? 0;
    kept.delete(name);
  }

  // A hundredth at once: a new iterator passes over all that was deleted before it, and one that is kept keeps in memory what was.
  function forgetSome(): void {
    const left = Math.ceil(mostSize * 0.99);
    for (const name of kept.keys()) {
      if (all <= left) break;
      forget(name);
    }
  }

  /** One with its registration will do for both. */
  function find(name: DomainName, extent: Extent): Kept | undefined {
    const found = kept.get(name);
    return found && (found.extent === 'registration' || extent === 'verdict') ? found : undefined;
  }

  return {
    get(name, extent) {
      const found = find(name, extent);
      if (!found) return undefined;
      kept.delete(name);
      kept.set(name, found);
      return found.answer;
    },
    has: (name, extent) => find(name, extent) !== undefined || absent.has(name),
    keep(answer, extent, size) {
      forget(answer.name);
      kept.set(answer.name, { answer, extent, size });
      all += size;
      if (all > mostSize) forgetSome();
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

interface Kept {
  readonly answer: StoredAnswer;
  readonly extent: Extent;
  readonly size: number;
}

/** Some 100 bytes each. */
const mostAbsent = 10_000;
