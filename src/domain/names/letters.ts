// cspell:ignore Hani Jpan Hira Kore Zyyy Zinh
import { oncePerObject } from '../../shared/memoize.ts';
import { isEmoji } from './code-points.ts';
import { toUnicodeName } from './domain-name.ts';

/** Which letters outside ASCII the registry of a TLD takes. */
export interface Letters {
  /** Codes of ISO 15924, one for each table of the registry; empty: ASCII only. */
  readonly scripts: readonly string[];
  /** The letters beyond ASCII, if each of them is known. */
  readonly only?: string;
  /** Who says so, if it is not the registry itself. */
  readonly source?: string;
  /** The registry takes emoji, whatever its tables say. */
  readonly takesEmoji?: boolean;
}

/**
 * Returns the scripts of a registry: empty for ASCII only, null if that is not known. That others
 * than the registry know of none says little.
 */
export function scriptsOf(letters: Letters | undefined): readonly string[] | null {
  if (!letters || (letters.scripts.length === 0 && letters.source !== undefined)) return null;
  return letters.scripts;
}

/** Scripts that are written with others (ISO 15924), and the traditional and simplified Han. */
const combined: Readonly<Record<string, readonly string[]>> = {
  Hans: ['Hani'],
  Hant: ['Hani'],
  Jpan: ['Hani', 'Hira', 'Kana'],
  Kore: ['Hang', 'Hani'],
};

/**
 * Returns the first character of a label that no table of the registry has together with the others;
 * undefined if one table has them all. Characters of several scripts, such as joiners, fit every
 * table; ASCII does, because a table may include it.
 */
export function excludedLetter(label: string, letters: Letters): string | undefined {
  const foreign = Array.from(toUnicodeName(label)).filter((letter) => letter > '\x7F');
  const excluded = tablesOf(letters).map((has) => foreign.find((letter) => !has(letter)));
  return excluded.includes(undefined) ? undefined : excluded[0];
}

type Table = (letter: string) => boolean;

const tablesOf = oncePerObject(
  ({ scripts, only, takesEmoji = false }: Letters): readonly Table[] => {
    const isShared: Table = (letter) =>
      joiner.test(letter) || (commonLetter.test(letter) && (takesEmoji || !isEmoji(letter)));
    const tables = scripts.map((script) => {
      const codes = combined[script] ?? [script];
      const inScript = new RegExp(`[${codes.map((code) => `\\p{scx=${code}}`).join('')}]`, 'u');
      return (letter: string) =>
        isShared(letter) || (only === undefined ? inScript.test(letter) : only.includes(letter));
    });

    return tables.length > 0 ? tables : [(letter) => takesEmoji && isEmoji(letter)];
  },
);

/** Emoji are joined by one of them, and so are the letters of several scripts. */
const joiner = /\p{Join_Control}/u;
const commonLetter = /[\p{scx=Zyyy}\p{scx=Zinh}]/u;
