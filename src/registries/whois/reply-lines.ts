import { isSameName, type DomainName } from '../../domain/domain-name.ts';
import type { LinePattern } from './line-pattern.ts';

/** A longer line cannot be compared in bounded time. */
const maxLineLength = 1000;
/** Captured replies have at most 200 lines. The limit bounds the time of comparing them. */
const maxLines = 1000;
/** A reply about one name spells it in at most two ways. The limit bounds the time of comparing. */
const maxSpellings = 10;

/** Whether the lines of a reply match a pattern: with its name or another one, if it has one. */
type Match = 'none' | 'matched' | 'other_name';

/** The distinct lines of a reply about a name, compared with each pattern once. */
export class ReplyLines {
  /** Whether the reply has more or longer lines than are compared. */
  readonly isTooLong: boolean;
  readonly #lines: readonly string[];
  readonly #name: DomainName;
  readonly #results = new Map<string, Match>();

  constructor(text: string, name: DomainName) {
    const lines = Array.from(new Set(text.split(/[\r\n]+/)));
    this.#lines = lines.filter((line) => line.length <= maxLineLength);
    this.isTooLong = lines.length > maxLines || lines.length > this.#lines.length;
    this.#name = name;
  }

  /**
   * Returns whether a line matches. A pattern with a name matches only if all names that it finds
   * are the queried one.
   */
  matches(pattern: LinePattern): boolean {
    return this.#compare(pattern) === 'matched';
  }

  /** Returns whether a line matches with another name than the queried one. */
  hasOtherName(pattern: LinePattern): boolean {
    return this.#compare(pattern) === 'other_name';
  }

  #compare(pattern: LinePattern): Match {
    const key = pattern.regExp.source;
    const match = this.#results.get(key) ?? this.#matchOf(pattern);
    this.#results.set(key, match);
    return match;
  }

  #matchOf({ regExp, hasName }: LinePattern): Match {
    if (!hasName) return this.#lines.some((line) => regExp.test(line)) ? 'matched' : 'none';
    const names = new Set(this.#lines.flatMap((line) => regExp.exec(line)?.[1] ?? []));
    if (names.size === 0) return 'none';
    const isSame =
      names.size <= maxSpellings &&
      Array.from(names).every((found) => isSameName(found, this.#name));
    return isSame ? 'matched' : 'other_name';
  }
}
