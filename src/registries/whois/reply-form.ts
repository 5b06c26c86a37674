import { createHash } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import type { DomainName } from '../../domain/domain-name.ts';

/**
 * Returns an identifier of a reply that is the same for all names about which the server says the
 * same: it covers every line, without blank lines, letter case and spaces. The name, and what differs
 * between two replies at different times or to different clients (times, numbers, IP addresses), are
 * replaced.
 */
export function replyForm(text: string, name: DomainName): string {
  const lines = withoutNumbers(withoutName(text.toLowerCase(), name))
    .split(/[\r\n]+/)
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '');
  return createHash('sha256').update(lines.join('\n')).digest('base64url').slice(0, 16);
}

function withoutName(text: string, name: DomainName): string {
  const spellings = [name, domainToUnicode(name)].map(escapeRegExp).join('|');
  // Not within a longer name.
  const pattern = new RegExp(
    String.raw`(?<![\p{L}\p{N}.-])(?:${spellings})(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])`,
    'gu',
  );
  return text.replaceAll(pattern, '{name}');
}

const days = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ');
const months =
  'january february march april may june july august september october november december'.split(
    ' ',
  );
const shortened = [...days, ...months].map((word) => word.slice(0, 3));
/** Names of days and months, and halves of the day, in texts such as `Sun Jul 12 2026, 10:00 AM`. */
const timeWords = new RegExp(
  String.raw`\b(?:${[...days, ...months, ...shortened, 'am', 'pm'].join('|')})\b`,
  'g',
);
/** IPv6 addresses, and times of day. */
const withColons = /(?<![0-9a-f:])[0-9a-f]*(?::[0-9a-f]*){2,}/g;
/** Numbers, dates, times and IPv4 addresses. */
const numbers = /\d+(?:(?:[-./:+, ]|t(?=\d))+\d+)*z?/g;

function withoutNumbers(text: string): string {
  return text.replaceAll(timeWords, '0').replaceAll(withColons, '0').replaceAll(numbers, '0');
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, String.raw`\$&`);
}
