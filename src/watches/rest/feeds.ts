import { shownName } from '../account-watches.ts';
import type { Change, Watch } from '../types.ts';
import { changeBody } from '../bodies.ts';

/** Returns changes as an Atom feed (RFC 4287), oldest first. `address`: that of the changes, without a token. */
export function atomOf(changes: readonly Change[], address: string): string {
  const entries = changes.map((change) => {
    const title = `${shownName(change.domain)}: ${change.type.toLowerCase().replaceAll('_', ' ')}`;
    return `<entry><id>${address}#${change.id}</id><title>${escaped(title)}</title><updated>${iso(change.seenAt)}</updated><content type="text">${escaped(JSON.stringify(changeBody(change), null, 1))}</content></entry>`;
  });
  const head = `<id>${address}</id><title>Changes of watched names</title><updated>${iso(changes.at(-1)?.seenAt ?? 0)}</updated><author><name>RDAP Gateway</name></author><link rel="self" href="${address}"/>`;
  return `<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">${[head, ...entries].join('\n')}</feed>\n`;
}

/** Returns the expiry dates of watched names as all-day events (RFC 5545). */
export function calendarOf(watches: readonly Watch[]): string {
  const events = watches.flatMap(({ domain, label, facts, checkedAt }) => {
    if (!facts?.expiresAt) return [];
    return [
      'BEGIN:VEVENT',
      `UID:expiry-${domain}@rdap-gateway`,
      `DTSTAMP:${compact(checkedAt ?? 0)}`,
      `DTSTART;VALUE=DATE:${compact(Date.parse(facts.expiresAt)).slice(0, 8)}`,
      `SUMMARY:${textOf(`${shownName(domain)} expires`)}`,
      ...(label === null ? [] : [`CATEGORIES:${textOf(label)}`]),
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ];
  });
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//rdap-gateway//watches//EN'];
  const lines = [...head, 'X-WR-CALNAME:Domain names', ...events, 'END:VCALENDAR'];

  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

/** Returns a line in pieces of at most 75 bytes (RFC 5545 section 3.1). */
function folded(line: string): string {
  let [text, bytes] = ['', 0];
  for (const char of line) {
    const size = Buffer.byteLength(char);
    const isFull = bytes + size > 75;
    text += isFull ? `\r\n ${char}` : char;
    bytes = isFull ? 1 + size : bytes + size;
  }

  return text;
}

/** Returns a text with the escapes of RFC 5545 section 3.3.11, without other control characters. */
function textOf(text: string): string {
  return text
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r?\n/g, '\\n')
    .replaceAll(/\p{Cc}/gu, ' ');
}

/** Returns a text of JSON, which has no control characters, for XML. */
function escaped(text: string): string {
  return text
    .replaceAll(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`)
    .replaceAll(/\uFFFE|\uFFFF/g, '');
}

/** Returns a time such as `20270101T000000Z`. */
function compact(ms: number): string {
  return iso(ms).replaceAll(/[-:]|\.\d+/g, '');
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
