import { Problem } from '../../domain/problems.ts';

/** An answer that is short enough for a model. */
export interface Shortened {
  readonly value: unknown;
  /** What was left out, by path. */
  readonly omitted: readonly string[];
}

/** What each list and text of an answer may have, from the most that is tried to the least. */
const limits = [
  { entries: 200, characters: 2000 },
  { entries: 100, characters: 500 },
  { entries: 50, characters: 200 },
  { entries: 20, characters: 100 },
  { entries: 10, characters: 100 },
  { entries: 5, characters: 50 },
  { entries: 2, characters: 50 },
  { entries: 1, characters: 20 },
] as const;

type Limits = (typeof limits)[number];

/** In UTF-16 code units, as JSON. An answer contains it twice: as text, and as structured content. */
const maxLength = 24_000;
const maxNotes = 20;

/**
 * Returns a value, whose JSON has `length`, with lists and texts that are cut as little as is needed
 * for the maximum length of an answer. Throws `query_too_large` if it has too many fields.
 */
export function shortened(value: unknown, length: number): Shortened {
  if (length <= maxLength) return { value, omitted: [] };

  for (const each of limits) {
    const answer: Answer = { notes: [], length: 0 };
    const result = cut(value, each, [], answer);
    if (answer.length <= maxLength && JSON.stringify(result).length <= maxLength)
      return { value: result, omitted: limited(answer.notes) };
  }

  throw new Problem('query_too_large', 'The answer is too long for a tool. Select fewer fields.');
}

function limited(notes: readonly string[]): readonly string[] {
  const more = notes.length - maxNotes;
  return more > 0 ? [...notes.slice(0, maxNotes), `${more} more lists and texts`] : notes;
}

/** What has been cut so far, of which `length` is at most that of its JSON. */
interface Answer {
  readonly notes: string[];
  length: number;
}

/** Stops soon after the maximum length: the whole value may have millions of characters. */
function cut(value: unknown, each: Limits, path: readonly string[], answer: Answer): unknown {
  if (answer.length > maxLength) return null;

  const note = (left: number, of: number, what: string) =>
    answer.notes.push(`${path.slice(1).join('.')}: ${left} of ${of} ${what}`);
  answer.length += typeof value === 'string' ? Math.min(value.length, each.characters) : 1;
  if (typeof value === 'string' && value.length > each.characters) {
    note(value.length - each.characters, value.length, 'characters');
    return `${value.slice(0, each.characters)}…`;
  }

  if (Array.isArray(value)) {
    if (value.length > each.entries) note(value.length - each.entries, value.length, 'entries');
    return value
      .slice(0, each.entries)
      .map((entry, index) => cut(entry, each, [...path, String(index)], answer));
  }

  if (typeof value !== 'object' || value === null) return value;

  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, cut(member, each, [...path, key], answer)]),
  );
}
