import { toUnicodeName, type SplitName } from '../../domain/domain-name.ts';

/**
 * Replaces the name in every form in which servers repeat it by NAME, and its suffix by TLD, so
 * that words within it do not count: `unblocked.example` may be available.
 */
export function withNamePlaceholders(text: string, { ascii, label, suffix }: SplitName): string {
  const withoutName = [ascii, toUnicodeName(ascii)].reduce(
    (rest, form) => rest.replaceAll(form, ' NAME '),
    text.toLowerCase(),
  );
  // Most texts contain nothing else of the name, so no expression is compiled for them.
  if (!withoutName.includes(label) && !withoutName.includes(suffix)) return withoutName;
  const tld = suffix.replaceAll('.', '\\.');
  const quotedLabel = new RegExp(`(["'“‘«])${label}["'”’»]`, 'g');
  const suffixAlone = new RegExp(
    `(?<!\\S)(?:\\.${tld}(?!\\.?[\\w-])|\\.?${tld}(?= registry))`,
    'g',
  );
  return withoutName.replace(quotedLabel, ' NAME ').replace(suffixAlone, 'TLD');
}

/**
 * Returns the words, each followed by a space, without URLs and punctuation. The description is an
 * array of lines that may break a sentence anywhere.
 */
export function plainWords(text: string): string {
  return ` ${text} `
    .replace(/\bhttps?:\S+/g, ' ')
    .replace(/[’‘]/g, "'")
    .replace(/[^\p{L}\p{N}'-]+|(?<![\p{L}\p{N}'-])['-]+|(?<!['-])['-]+(?![\p{L}\p{N}'-])/gu, ' ')
    .replace(/ +/g, ' ');
}
