import { quoted } from '../shared/printable.ts';
import { readRows } from '../shared/read-csv.ts';
import { parseDomainName } from './names/domain-name.ts';
import type { KnownExpiry } from './timeline.ts';

const fields = ['name', 'date', 'note'];
const maxNoteLength = 200;

/**
 * Parses the file of `EXPIRY_FILE`: `name`, `date` and optionally `note`, as a JSON list of objects
 * or as CSV. Returns the dates by A-label name. Throws an Error that names the row at fault.
 */
export function parseExpiryFile(text: unknown): ReadonlyMap<string, KnownExpiry> {
  const expiries = new Map<string, KnownExpiry>();
  for (const [place, row] of readRows(String(text), ['name', 'date'], ['note'])) {
    const unknown = Object.keys(row).find((field) => !fields.includes(field));
    if (unknown !== undefined)
      throw new Error(
        `${place}: ${quoted(unknown)} is unknown; the fields are ${fields.join(', ')}`,
      );

    const field = (name: string, otherwise?: string) => textOf(row[name] ?? otherwise, name, place);
    const name = nameIn(field('name'), place);
    if (expiries.has(name)) throw new Error(`${place}: name ${quoted(name)} is listed twice`);

    const note = field('note', '');
    if (note.length > maxNoteLength || /\p{Cc}/u.test(note))
      throw new Error(`${place}: note must be a line of up to ${maxNoteLength} characters`);

    expiries.set(name, { date: dateIn(field('date'), place), note });
  }

  return expiries;
}

function textOf(value: unknown, field: string, place: string): string {
  if (typeof value === 'string') return value.trim();
  throw new Error(`${place}: ${field} must be a text, got ${JSON.stringify(value ?? null)}`);
}

function nameIn(text: string, place: string): string {
  try {
    return parseDomainName(text);
  } catch (error) {
    const message = `${place}: name must be a domain name such as example.com, got ${quoted(text)}`;
    throw new Error(message, { cause: error });
  }
}

/** A day, or a time in RFC 3339. */
const datePattern =
  /^(?:19[7-9]|[2-9]\d\d)\d-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))?$/;

function dateIn(text: string, place: string): string {
  const day = text.slice(0, 10);
  const [time, midnight] = [Date.parse(text), Date.parse(day)];

  // A day that a month does not have would be read as one of the next month.
  const isDate =
    datePattern.test(text) && time >= 0 && new Date(midnight).toISOString().startsWith(day);
  if (isDate && midnight < Date.UTC(9998)) return new Date(time).toISOString();

  throw new Error(
    `${place}: date must be a day such as 2027-03-31 or a time such as 2027-03-31T12:00:00Z, got ${quoted(text)}`,
  );
}
