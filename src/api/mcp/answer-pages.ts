import type { Directory } from '../../domain/directory.ts';
import { maxNameLength, splitName } from '../../domain/names/domain-name.ts';
import type { ParsedName } from '../../domain/names/parsed-name.ts';
import { cautionsOf, reservationOf } from '../../domain/policy.ts';
import { invalidParameter } from '../../domain/problems.ts';

/** Returns the names after that of the argument `after`. Throws `invalid_parameter`. */
export function namesAfter(after: string | undefined, names: readonly ParsedName[]) {
  if (after === undefined) return names;

  const index = names.findIndex(({ domain }) => domain === after);
  if (index === -1 || index === names.length - 1)
    throw invalidParameter(
      'after',
      'after must be `after` of the previous answer, and the other arguments those of its call.',
    );

  return names.slice(index + 1);
}

/**
 * Maximum length of the rows of an answer and of what its text says of them, in UTF-16 code units:
 * clients reject or cut what has more than 20,000 to 25,000 tokens, and names have 2 to 4 units per
 * token.
 */
const maxAnswerLength = 55_000;

/**
 * Returns the number of names, at least one, whose rows fit in an answer, whatever they will be: a
 * row that was omitted after the lookup would be charged again.
 */
export function countThatFits(names: readonly ParsedName[], directory: Directory): number {
  let length = 0;
  const tooLong = names.findIndex((name) => {
    length += maxRowLength(name, directory);
    return length > maxAnswerLength;
  });
  return tooLong === -1 ? names.length : Math.max(tooLong, 1);
}

/** Length of a row and its notes in the text, without the name and rare texts. */
const maxVerdictLength = 240;
/** Length of the members and notes around a text. */
const maxAroundText = 30;

function maxRowLength(name: ParsedName, directory: Directory): number {
  const texts = possibleTexts(name, directory).map(
    (text) => JSON.stringify(text).length + text.code.length + maxAroundText,
  );
  return [2 * JSON.stringify(name.domain).length, ...texts].reduce(
    (sum, length) => sum + length,
    maxVerdictLength,
  );
}

/** Returns the texts that the row of a name has if it is unregistered, or not a name. */
function possibleTexts(name: ParsedName, directory: Directory) {
  if ('problem' in name) {
    const { code, message } = name.problem;
    // What to call with instead is a part of the entry. It is stated twice.
    const alternative = 2 * Math.min(Buffer.byteLength(name.domain), maxNameLength);
    return [{ code, detail: `${message}${' '.repeat(alternative)}` }];
  }

  const split = splitName(name.domain);
  const resolution = directory.resolve(split);
  if ('problem' in resolution) return [];

  const reservation = reservationOf(split, resolution.policy);
  return reservation
    ? [{ code: reservation.code, detail: reservation.message }]
    : cautionsOf(split, resolution.policy, 0);
}
