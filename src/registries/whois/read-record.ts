import { splitName, toHostName, type DomainName } from '../../domain/names/domain-name.ts';
import type { Dnssec, Instant, Registrar, Registration } from '../../domain/registration.ts';
import { normalizeStatus } from '../../domain/epp-status.ts';
import { maxListLength, omitUndefined } from '../rdap/json.ts';
import { emptyRegistration } from '../rdap/registration.ts';
import { asMeaningfulText } from '../rdap/text.ts';
import { asInstant } from '../rdap/timestamp.ts';
import { compileFields, escapeRegExp, type DateFormat, type RecordFormat } from './whois-format.ts';

/** Captured replies have at most 200 lines, of at most 150 characters that matter. */
const maxLines = 1000;
const maxLength = 300;

/** Reads the registrations in the replies of one server. */
export class RecordReader {
  readonly #dates;
  readonly #parts;

  constructor({ dates, parts }: RecordFormat) {
    this.#dates = dates.map(dateReader);
    this.#parts = parts.map(({ under, after = under, suffixes, lines }) => ({
      start: after === undefined ? undefined : compileFields(after),
      endsAtBlankLine: under !== undefined,
      suffixes,
      patterns: lines.map(compileFields),
    }));
  }

  /**
   * Reads a reply that states that the name is registered. A value that is blank, a placeholder or
   * in another form than the server's is absent, and so is a single value that differs within the
   * reply.
   */
  read(name: DomainName, reply: string): Registration {
    const values = new Values(this.#fieldsIn(reply, splitName(name).suffix));
    const dateOf = (field: string) => this.#instantOf(values.single(field));
    const changes = values.all('changed').map((text) => this.#instantOf(text));
    const organization = values.single('organization');

    return omitUndefined<Registration>({
      ...emptyRegistration(undefined),
      ldhName: name,
      hosts: hostNamesOf(values.all('nameserver')).map((host) => ({
        name: host,
        ipv4: [],
        ipv6: [],
      })),
      statuses: [...new Set(values.all('status').flatMap(statusesOf))],
      registrar: registrarOf(values),
      registrant: organization === undefined ? undefined : { roles: ['registrant'], organization },
      createdAt: dateOf('created'),
      updatedAt: dateOf('updated') ?? latestOf(changes),
      expiresAt: dateOf('expires'),
      dnssec: omitUndefined<Dnssec>({ signed: signedOf(values), dsRecords: [] }),
    });
  }

  #fieldsIn(reply: string, suffix: string): readonly Field[] {
    const lines = reply.split(/\r\n|\r|\n/, maxLines).filter((line) => line.length <= maxLength);
    return this.#parts
      .filter(({ suffixes }) => suffixes?.includes(suffix) ?? true)
      .flatMap(({ start, endsAtBlankLine, patterns }) =>
        partOf(lines, start, endsAtBlankLine).flatMap((line) =>
          patterns.flatMap((pattern) => Object.entries(pattern.exec(line)?.groups ?? {})),
        ),
      );
  }

  #instantOf(text = ''): Instant | undefined {
    return this.#dates.map((read) => read(text)).find((instant) => instant !== undefined);
  }
}

/**
 * Returns the lines after `start`, with the blank one that ends the part. Returns none if there are
 * several parts: an address without a label may contain any line.
 */
function partOf(
  lines: readonly string[],
  start: RegExp | undefined,
  endsAtBlankLine: boolean,
): readonly string[] {
  const first = start ? lines.findIndex((line) => start.test(line)) + 1 : 0;
  if (start && first === 0) return [];
  const end = endsAtBlankLine ? lines.findIndex((line, at) => at >= first && !line.trim()) : -1;
  const after = end === -1 ? lines.length : end + 1;
  return lines.slice(after).some((line) => start?.test(line)) ? [] : lines.slice(first, after);
}

type Field = readonly [name: string, value: string];

/** The distinct values of the fields that a reply states. */
class Values {
  readonly #fields: Partial<Record<string, readonly Field[]>>;

  constructor(fields: readonly Field[]) {
    this.#fields = Object.groupBy(fields, ([name]) => name);
  }

  all(field: string): readonly string[] {
    return [...new Set(this.#fields[field]?.map(([, value]) => value.trim()))];
  }

  /** Returns the value of a field that the reply states only once, or always the same. */
  single(field: string): string | undefined {
    const [value, ...others] = this.all(field);
    return others.length > 0 ? undefined : asMeaningfulText(value);
  }
}

function registrarOf(values: Values): Registrar | undefined {
  const registrar = omitUndefined<Registrar>({
    name: values.single('registrar'),
    ianaId: /^\d{1,6}$/.exec(values.single('ianaId') ?? '')?.[0],
    // Some servers print it without its scheme.
    url: /^(?:https?:\/\/.*|[^:]*)$/i.exec(values.single('registrarUrl') ?? ':')?.[0],
  });
  return Object.keys(registrar).length > 0 ? registrar : undefined;
}

/** Returns the nameservers. A part of the list would be wrong, so one invalid name rejects all. */
function hostNamesOf(texts: readonly string[]): readonly string[] {
  const names = texts.map((text) => toHostName(text.replace(/\.?(?:[\s,].*)?$/, '')));
  const valid = names.filter((name) => name !== undefined);
  return valid.length < names.length ? [] : [...new Set(valid)].slice(0, maxListLength);
}

/** Returns the EPP statuses of a line; the words of a registry's own are left out. */
function statusesOf(text: string): readonly string[] {
  return text
    .split(/, | \/ /)
    .map(normalizeStatus)
    .filter((status) => eppStatus.test(status));
}

/** RFC 8056 section 2, and the statuses of RFC 3915. */
const eppStatus =
  /^(?:(?:in)?active|(?:client|server) (?:hold|(?:delete|renew|transfer|update) prohibited)|pending (?:create|delete|renew|restore|transfer|update)|(?:add|auto renew|redemption|renew|transfer) period)$/;

const unsigned = /^(?:no|unsigned(?: delegation(?:, dnssec disabled, no records)?)?)$/i;

function signedOf(values: Values): boolean | undefined {
  const keys = values.all('keys');
  if (keys.length > 0) return keys.some((key) => key !== '');
  const word = values.single('dnssec') ?? '';
  return (
    /^(?:yes|signed(?: ?delegation)?)$/i.test(word) || (unsigned.test(word) ? false : undefined)
  );
}

function latestOf(instants: readonly (Instant | undefined)[]): Instant | undefined {
  return instants.includes(undefined) ? undefined : instants.toSorted().at(-1);
}

const dateParts: ReadonlyMap<string, string> = new Map([
  ['{year}', String.raw`(?<year>\d{4})`],
  ['{month}', String.raw`(?<month>\d\d)`],
  ['{monthName}', '(?<monthName>[A-Z][a-z]{2})'],
  ['{day}', String.raw`(?<day>\d\d)`],
  ['{time}', String.raw`(?<time>\d\d:\d\d:\d\d(?:\.\d{3})?)`],
  // Without leading zeros.
  ['{d}', String.raw`(?<day>\d\d?)`],
  ['{m}', String.raw`(?<month>\d\d?)`],
  ['{t}', String.raw`(?<time>\d\d?:\d\d:\d\d)`],
]);
const monthNames = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/**
 * Creates a function that reads dates in one form. It returns undefined for a text in another form,
 * and for a date that does not exist.
 */
function dateReader({ format, zone }: DateFormat): (text: string) => Instant | undefined {
  const source = format.split(/(\{\w+\})/).map((part) => dateParts.get(part) ?? escapeRegExp(part));
  const pattern = new RegExp(`^${source.join('')}$`);
  const offsetAt = zone === undefined ? undefined : offsetsIn(zone);

  return (text) => {
    const { year, monthName, day, time = '00:00:00', ...groups } = pattern.exec(text)?.groups ?? {};
    const month = groups['month'] ?? String(monthNames.indexOf(monthName ?? '') + 1);
    const date = `${year}-${month.padStart(2, '0')}-${day?.padStart(2, '0')}`;
    const shown = asInstant(`${date}T${time.padStart(8, '0')}Z`);
    if (shown === undefined || !offsetAt) return shown;

    const local = Date.parse(shown);
    return new Date(local - offsetAt(local - offsetAt(local))).toISOString();
  };
}

/** Returns a function that returns the offset from UTC at a time, both in ms. */
function offsetsIn(timeZone: string): (instant: number) => number {
  // The Swedish form is that of ISO 8601.
  const clock = new Intl.DateTimeFormat('sv', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (instant) => Date.parse(`${clock.format(instant)}Z`) - instant;
}
