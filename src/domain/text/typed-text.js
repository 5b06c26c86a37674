// Reads one typed name: a label, a domain name, a URL, an e-mail or IP address, or an AS number. The
// search page loads this file as it is, and `read-text.js` reads texts with several names.

/**
 * What a text means.
 * @typedef {{ kind: 'empty' }
 *   | { kind: 'invalid', message: string, suggestion?: string }
 *   | { kind: 'object', type: 'ip' | 'autnum', key: string, alternative?: string }
 *   | { kind: 'name', labels: string[], alternative?: string }} Interpretation
 * `labels` are in lower case, most specific first; a single one is to be looked up under many
 * TLDs. `alternative` is another reading of the text.
 */

const ipNetwork = /^\[?((?:\d+\.){3}\d+(?:\/\d+)?|(?:[\da-f]*:){2,}[\da-f.]*(?:\/\d+)?)\]?$/i;
// In lower case, it is a label.
const autnum = /^ASN? ?\d{1,10}$/;
const dots = /[.。．｡]/;
// Some scripts need joiners and middle dots in words, which are not letters in Unicode.
const forbidden = /[^\p{L}\p{M}\p{N}\p{Join_Control}\-\u{b7}\u{30fb}]/gu;
// Typographic hyphens, such as U+2011, which texts and language models contain.
const dashes = /[\p{Dash}\u{2043}]/gu;
// A variation selector follows an emoji. IDNA ignores all of these.
const ignored = /[\u00ad\u200b\u2060\ufeff\p{Variation_Selector}]/gu;
const invisible = /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;
const maxLabelLength = 63;
const maxNameLength = 253;

/** Interprets a text: a label, a domain name, a URL, an e-mail or IP address, or an AS number. */
export function interpret(text) {
  const plain = text.trim();
  if (autnum.test(plain))
    return { kind: 'object', type: 'autnum', key: plain, alternative: plain.toLowerCase() };

  const host = hostOf(text.normalize('NFKC').replaceAll(ignored, ''));
  const [, key] = ipNetwork.exec(plain) ?? ipNetwork.exec(host) ?? [];
  if (key) return { kind: 'object', type: 'ip', key };

  const words = host
    .split(dots)
    .map((part) => part.split(/[\s_]+/).filter(Boolean))
    .filter((part) => part.length > 0);
  if (words.length === 0) return { kind: 'empty' };

  if (words.length > 2 && words[0].join() === 'www') words.shift();
  const labels = words.map((each) => each.join(''));
  const problem = problemOf(labels);
  if (problem) return invalid(problem, suggestionFor(labels));

  const hyphenated = words.map((each) => each.join('-'));
  return {
    kind: 'name',
    labels,
    ...(hyphenated.join() !== labels.join() &&
      !labels.some(isALabel) && { alternative: hyphenated.join('.') }),
  };
}

/** Converts a name to A-labels. Returns undefined if it has no A-label form. */
export function toAscii(name) {
  // Parsing takes several microseconds, and a list may have thousands of names.
  if (/^[a-z\d.-]*$/.test(name) && !name.includes('xn--')) return name;
  // Without another label, the URL parser would read a number as an IPv4 address.
  return URL.parse(`http://${name}.x`)?.hostname.slice(0, -2);
}

/** Returns the TLDs in a list that is separated by spaces or commas, each once. */
export function parseTlds(text) {
  const entries = text.toLowerCase().split(/[\s,;]+/);
  const tlds = entries.map((entry) => entry.split(dots).filter(Boolean).join('.'));
  return [...new Set(tlds)].filter((tld) => tld && !problemOf(['x', ...tld.split('.')]));
}

/** Returns the host of a URL or an e-mail address, or the text itself. */
export function hostOf(text) {
  return text
    .trim()
    .toLowerCase()
    .replace(/^[<("'“‘«]+|(?<![>)"'”’»,;!?])[>)"'”’»,;!?]+$/g, '')
    .replace(/^(?:mailto:|[a-z][a-z\d+.-]*:\/+|https?\/+|\/\/)/, '')
    .replace(/[/?#\\].*$/s, '')
    .replace(/^.*@(?=.)|@$/s, '')
    .replace(/^([^:]*|\[.*\]):\d*$/, '$1');
}

function problemOf(labels) {
  if (labels.length > 1 && /^\d+$/.test(labels.at(-1)))
    return 'The last part of a domain name can’t be a number.';

  const emojiMayBeSold = labels.length > 1 && mayBeCountryCode(labels.at(-1));
  for (const label of labels) {
    const character = forbiddenIn(label).find((each) => !(emojiMayBeSold && isEmoji(each)));
    if (character)
      return `A domain name can contain letters, digits and hyphens, but not ${quoted(character)}.`;
    if (/^-|-$/.test(label)) return 'A name can’t start or end with a hyphen.';
    if (/^..--/.test(label) && !label.startsWith('xn--'))
      return 'A name can’t have hyphens as its third and fourth characters.';

    const ascii = label.length > maxNameLength ? label : toAscii(label);
    if (ascii === undefined) return `${quoted(label)} is not a valid internationalized name.`;
    if (ascii.length > maxLabelLength)
      return `A name can have up to ${maxLabelLength} characters; this one has ${ascii.length}.`;
  }

  const joined = labels.join('.');
  const name = joined.length > maxNameLength ? joined : toAscii(joined);
  if (name === undefined) return `${quoted(joined)} is not a valid internationalized name.`;

  return name.length > maxNameLength
    ? `A domain name can have up to ${maxNameLength} characters.`
    : undefined;
}

const forbiddenIn = (label) => label.match(forbidden) ?? [];

/** Whether a TLD may be one that sells emoji. Of those in other scripts, only the gateway knows it. */
function mayBeCountryCode(tld) {
  return /^(?:[a-z]{2}|xn--.*|.*\P{ASCII}.*)$/u.test(tld) && forbiddenIn(tld).length === 0;
}

function isEmoji(character) {
  return /^(?!\p{ASCII})[\p{Emoji}\p{Emoji_Component}]$/u.test(character);
}

/** Returns a text in quotes, with `U+200C` in place of a character that cannot be seen. */
function quoted(text) {
  return `“${text.replaceAll(invisible, codePointOf)}”`;
}

function codePointOf(character) {
  return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Whether a label is encoded: with another character, it would stand for an unrelated name. */
export const isALabel = (label) => /^xn--/i.test(label);

/** Returns the name with plain hyphens and without invalid characters, if that makes it valid. */
function suggestionFor(labels) {
  if (labels.some(isALabel)) return undefined;

  const cleaned = labels
    .map((label) =>
      label
        .replaceAll(dashes, '-')
        .replaceAll(forbidden, '')
        .replaceAll(/^-+|(?<!-)-+$/g, '')
        .replace(/^(..)-+/, '$1-'),
    )
    .filter(Boolean);

  return cleaned.length > 0 && !problemOf(cleaned) ? cleaned.join('.') : undefined;
}

/** Returns the interpretation of a text that is not a name. */
export function invalid(message, suggestion) {
  return { kind: 'invalid', message, ...(suggestion && { suggestion }) };
}
