import { toUnicodeName, type SplitName } from '../../domain/names/domain-name.ts';
import { escapeRegExp } from '../whois/whois-format.ts';

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

/**
 * Returns whether the text of an error says that the caller sends too many queries. Some servers
 * return 400, 403, 404 or 422 then (RFC 7480 section 5.5), and may call the caller blocked. The key of
 * the lookup, which the text may repeat, does not count.
 */
export function statesLimit(text: string, key = ''): boolean {
  const [label = ''] = key.split('.');
  const echoes = [key, toUnicodeName(key), label].filter((echo) => echo !== '').map(escapeRegExp);
  const echo = new RegExp(`(?<![\\w-])(?:${echoes.join('|')})(?![\\w-])`, 'giu');
  const words = (key === '' ? text : text.replaceAll(echo, ' ')).toLowerCase();
  return limits.test(words) && !/\b(?:length|letters|characters|octets|labels?)\b/.test(words);
}

const limits =
  /\brate[ -]?limit|\btoo many (?:requests|queries|lookups|connections|calls)|\btoo (?:fast|frequent|often)|\bexcessive (?:quer|request|use)|\b(?:request|query|usage|daily|hourly|access) (?:rate|limits?|quota)\b|\bquota (?:has been |is |was )?(?:exceeded|reached|exhausted)|\bexceed(?:s|ed|ing)? .{0,60}\b(?:limit|quota|quer(?:y|ies)|requests?)\b|\b(?:limit|quota|queries|requests|lookups)\b.{0,40} (?:exceeded|reached|exhausted)\b|\b(?:throttled|throttling)\b|\bslow down\b|\byour (?:ip|address|network)\b.{0,60}\b(?:blocked|limited|banned|denied)\b/;
