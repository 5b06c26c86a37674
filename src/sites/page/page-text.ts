import { containsEmailAddress } from './email-addresses.ts';

const maxTextLength = 1000;
const maxUrlLength = 2048;
/** Of all texts and URLs of a page together, in characters. */
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
