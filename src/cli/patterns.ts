import { usageError } from './command-error.ts';
import type { CommandOptions } from './command-table.ts';

const form = /^(?:[^{}]|\{name\}|\{digit\}|\{letter\})*$/;
/** Each multiplies the number of names by up to 26. */
const maxPlaceholders = 3;

/**
 * Returns the patterns of names that `--pattern`, `--prefix` and `--suffix` describe. `{name}` is
 * their only placeholder. Throws `CommandError`.
 */
export function readPatterns({
  pattern: patterns = ['{name}'],
  prefix = [],
  suffix = [],
}: Pick<CommandOptions, 'pattern' | 'prefix' | 'suffix'>): readonly string[] {
  const starts = ['', ...prefix.flatMap((list) => list.split(','))];
  const ends = ['', ...suffix.flatMap((list) => list.split(','))];

  for (const pattern of patterns)
    if (
      !form.test(pattern) ||
      !pattern.includes('{name}') ||
      pattern.split(/\{(?:digit|letter)\}/).length > maxPlaceholders + 1
    )
      throw usageError(
        `--pattern must contain {name}, and may contain up to ${maxPlaceholders} of {digit} and {letter}; got ${JSON.stringify(pattern)}.`,
      );

  return patterns
    .flatMap((pattern) => filled(pattern, '{digit}', '0123456789'))
    .flatMap((pattern) => filled(pattern, '{letter}', 'abcdefghijklmnopqrstuvwxyz'))
    .flatMap((each) => starts.flatMap((start) => ends.map((end) => start + each + end)));
}

/** Returns a pattern with each of the characters in each place of a placeholder. */
function filled(pattern: string, placeholder: string, characters: string): readonly string[] {
  if (!pattern.includes(placeholder)) return [pattern];
  return Array.from(characters, (character) => pattern.replace(placeholder, character)).flatMap(
    (each) => filled(each, placeholder, characters),
  );
}
