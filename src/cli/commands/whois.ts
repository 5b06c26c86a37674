import { exitCodeOf, exitCodes, type ExitCode } from '../command-error.ts';
import { styleText } from 'node:util';
import { systemClock } from '../../clock.ts';
import { toUnicodeName } from '../../domain/names/domain-name.ts';
import { detectObjectType } from '../../domain/object-ref.ts';
import { printable, printableJson } from '../../shared/printable.ts';
import type { CommandOptions } from '../command-table.ts';
import { hostOf } from '../../domain/text/typed-text.js';
import { readMaxAge, readName } from '../name-arguments.ts';
import { openLookups } from '../open-lookups.ts';
import { readableDate } from '../output/readable-date.ts';
import type { NameRecord, ObjectRecord } from '../output/records.ts';
import { printLine, type Surroundings } from '../surroundings.ts';

/** Prints the record of a name, or of an IP network or an AS number. Rejects with `CommandError`. */
export async function whois(
  [query = '']: readonly string[],
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const isObject = ['ip', 'autnum'].includes(detectObjectType(query));
  const domain = isObject ? '' : hostOf(readName(query));
  const maxAge = readMaxAge(options['max-age']);
  await using lookups = await openLookups(options, surroundings);

  const print = (record: object, terms: readonly Term[]) =>
    printLine(
      surroundings.streams.stdout,
      options.json ? printableJson(record, 2) : formatTerms(terms),
    );

  if (isObject) {
    const record = await lookups.object(query, maxAge);
    print(record, [...objectTerms(record), ...sourceTerms(record)]);
    return record.found ? exitCodes.available : exitCodes.taken;
  }

  const record = await lookups.record(domain, maxAge);
  print(record, [...verdictTerms(record), ...registrationTerms(record), ...sourceTerms(record)]);
  return exitCodeOf([record]);
}

type Term = readonly [term: string, ...values: readonly (string | null | undefined)[]];

/** Formats lines of a term and its value. Texts of the registry are made printable. */
function formatTerms(terms: readonly Term[]): string {
  const termWidth = Math.max(...terms.map(([term]) => term.length), minTermWidth) + 2;
  const lines = terms.flatMap(([term, ...values]) =>
    values
      .filter((value) => value !== null && value !== undefined && value !== '')
      .map((value, index) => {
        const title = styleText('dim', printable(index === 0 ? term : '').padEnd(termWidth));
        return `${title}${printable(String(value))}`;
      }),
  );

  return lines.join('\n');
}

const minTermWidth = 'Nameservers'.length;

function verdictTerms({ domain, status, problem, registration }: NameRecord): readonly Term[] {
  const unicodeName = toUnicodeName(domain);
  return [
    ['Domain', unicodeName === domain ? domain : `${unicodeName} (${domain})`],
    ['Status', status.replaceAll('_', ' '), ...(registration?.statuses ?? [])],
    ['Problem', problem && `${problem.detail} (${problem.code})`],
  ];
}

function registrationTerms({ registration, nameservers }: NameRecord): readonly Term[] {
  if (!registration) return [];

  const { registrar, dnssec } = registration;
  return [
    ['Registrar', withNote(registrar?.name, registrar?.iana_id), registrar?.url],
    ['Abuse', registrar?.abuse_email, registrar?.abuse_phone],
    ['Created', dateText(registration.created_at)],
    ['Updated', dateText(registration.updated_at)],
    ['Expires', dateText(registration.expires_at)],
    ['Nameservers', ...nameservers],
    ['DNSSEC', signedText(dnssec.signed)],
    ['Read from', registration.source === 'whois' ? 'WHOIS, heuristic' : undefined],
  ];
}

function objectTerms({ input, object }: ObjectRecord): readonly Term[] {
  if (!object) return [['Query', `${input}: not found`]];

  const { events, entities, ...members } = object;
  return [
    ...Object.entries(members).map(([key, value]): Term => [
      capitalized(key.replaceAll('_', ' ')),
      ...[value].flat().filter(isText).map(String),
    ]),
    ...events.map(({ action, date }): Term => [capitalized(action), dateText(date)]),
    ...entities.map(({ handle, roles, contact }): Term => [
      capitalized(roles.join(', ')),
      contact?.organization ?? contact?.name ?? handle,
      contact?.email,
      contact?.phone,
    ]),
  ];
}

function dateText(date: string | null | undefined): string | undefined {
  return date ? readableDate(date, systemClock.now()) : undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function capitalized(text: string): string {
  const spelled = text.replace(/\b(?:cidr|rdap)\b/, (word) => word.toUpperCase());
  return spelled.slice(0, 1).toUpperCase() + spelled.slice(1);
}

type AnswerOrigin = Partial<Pick<NameRecord, 'source' | 'rdap_endpoint' | 'checked_at' | 'cached'>>;

function sourceTerms({ source, rdap_endpoint, checked_at, cached }: AnswerOrigin): readonly Term[] {
  return [
    ['Source', source && [source.toUpperCase(), rdap_endpoint].filter(Boolean).join(', ')],
    [
      'Checked',
      checked_at &&
        `${checked_at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}${cached ? ' (cached)' : ''}`,
    ],
  ];
}

function withNote(name: string | null | undefined, ianaId: string | null | undefined) {
  return ianaId ? `${name ?? ''} (IANA ID ${ianaId})`.trim() : name;
}

function signedText(signed: boolean | null | undefined): string | undefined {
  if (signed === null || signed === undefined) return undefined;
  return signed ? 'signed' : 'not signed';
}
