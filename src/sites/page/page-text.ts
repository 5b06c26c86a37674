const maxTextLength = 1000;
/** Longest URL that is reported, in characters. */
const maxUrlLength = 2048;
/** Length of all texts and URLs of a page together, in characters. */
const maxPageLength = 100_000;

/**
 * Shortens a text, collapses its white space and removes e-mail addresses, which are never
 * collected. What may be a URL is not shortened: it is empty if it is longer than 2,048 characters.
 */
export function cleanText(text: string): string {
  // A longer text is cut first, so that the work is limited.
  const words = text
    .slice(0, 4 * maxTextLength)
    .split(/\s+/)
    .filter((word) => word !== '' && !isContact(word));
  const [first = ''] = words;
  if (words.length === 1 && (isUrl(first) || /^[!-~]*$/.test(first)))
    return first.length > maxUrlLength ? '' : first;

  return words.join(' ').slice(0, maxTextLength);
}

function isContact(word: string): boolean {
  return /^(?:mailto|tel):/i.test(word) || (!isUrl(word) && containsEmailAddress(word));
}

function isUrl(word: string): boolean {
  return /^(?:https?:|\/)/i.test(word);
}

/** Limits the sizes of the lists and texts of one page. */
export class PageBudget {
  #left: number;

  constructor(maxLength = maxPageLength) {
    this.#left = maxLength;
  }

  /** Adds an item to a list, unless the list is full or the page has too much text. */
  add<T>(list: T[], max: number, item: T, ...texts: readonly string[]): void {
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (list.length >= max || length > this.#left) return;
    this.#left -= length;
    list.push(item);
  }
}

/** Returns a declared text on one line, at most `maxLength` characters; null if it is empty. */
export function shortText(text: string, maxLength: number): string | null {
  // Ten times as much is read as is reported, so that white space cannot hide the text.
  const line = text
    .slice(0, maxLength * 10)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.slice(0, maxLength).trim().toWellFormed() || null;
}

/**
 * Returns an absolute `http:` or `https:` URL of at most 2,048 characters, resolved against `base`;
 * null for anything else, such as `mailto:`, `data:` or a URL with a user name.
 */
export function webUrl(text: string, base: string | null): URL | null {
  if (text.length > maxUrlLength) return null;
  const url = URL.parse(text, base ?? undefined);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  if (url.username || url.password || url.href.length > maxUrlLength) return null;
  return url;
}

/**
 * A local part of at most 64 octets (RFC 5321 section 4.5.3.1), and a domain whose last label begins
 * with a letter, unlike the version in `vue@3.5.1`. `@name@example.com` is a profile, and
 * `logo@2x.png` a file. In URLs, `@` may be written as `%40`.
 */
const emailAddress =
  /(?<![^\s@<>()[\]{},;:"'=/\\?&%#])(?<!(?:^|[\s<>()[\]{},;:"'=/\\?&%#])@)[^\s@<>()[\]{},;:"'=/\\?&%#]{1,64}(?:@|%40)(?:[^\s@<>()[\]{},;:"'=/\\?&%#.]{1,63}\.){1,8}(?!(?:avif|css|gif|ico|jpe?g|js|png|svg|webp)(?![a-z]))[a-z\u0080-\uffff][^\s@<>()[\]{},;:"'=/\\?&%#.]{1,62}(?!\.?[a-z\d])/i;
const emailAddresses = new RegExp(emailAddress, 'gi');

/** Returns whether a text contains an e-mail address, which is never collected. */
export function containsEmailAddress(text: string): boolean {
  return emailAddress.test(text);
}

/** Returns a text without the e-mail addresses in it. */
export function withoutEmailAddresses(text: string): string {
  return text.replace(emailAddresses, '');
}
