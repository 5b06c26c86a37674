import type { CommandOptions } from './command-line.ts';
import { exitCodeOf, type ExitCode } from './exit-codes.ts';
import { readMaxAge, readName } from './name-arguments.ts';
import { openLookups } from './open-lookups.ts';
import type { Surroundings } from './surroundings.ts';
import { styleText } from 'node:util';
import { toUnicodeName } from '../domain/domain-name.ts';
import { printable } from '../shared/printable.ts';
import type { NameRecord } from './name-record.ts';

/** Prints the record of a name. Rejects with `CommandError`. */
export async function whois(
  [name = '']: readonly string[],
  options: CommandOptions,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const domain = readName(name);
  const maxAge = readMaxAge(options['max-age']);
  await using lookups = await openLookups(options, surroundings);
  const record = await lookups.record(domain, maxAge);
  console.log(options.json ? JSON.stringify(record, undefined, 2) : formatRecord(record));
  return exitCodeOf([record]);
}

/** Formats a record as lines of a term and its value. Texts of the registry are made printable. */
function formatRecord(record: NameRecord): string {
  const terms = [...verdictTerms(record), ...registrationTerms(record), ...sourceTerms(record)];
  const lines = terms.flatMap(([term, ...values]) =>
    values
      .filter((value) => value !== null && value !== undefined && value !== '')
      .map((value, index) => {
        const title = styleText('dim', (index === 0 ? term : '').padEnd(termWidth));
        return `${title}${printable(String(value))}`;
      }),
  );
  return lines.join('\n');
}

const termWidth = 'Nameservers  '.length;

type Term = readonly [term: string, ...values: readonly (string | null | undefined)[]];

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
    ['Created', registration.created_at],
    ['Updated', registration.updated_at],
    ['Expires', registration.expires_at],
    ['Nameservers', ...nameservers],
    ['DNSSEC', signedText(dnssec.signed)],
    ['Read from', registration.source === 'whois' ? 'WHOIS, heuristic' : undefined],
  ];
}

function sourceTerms({ source, rdap_endpoint, checked_at, cached }: NameRecord): readonly Term[] {
  return [
    ['Source', source && [source.toUpperCase(), rdap_endpoint].filter(Boolean).join(', ')],
    ['Checked', checked_at && `${checked_at}${cached ? ' (cached)' : ''}`],
  ];
}

function withNote(name: string | null | undefined, ianaId: string | null | undefined) {
  return ianaId ? `${name ?? ''} (IANA ID ${ianaId})`.trim() : name;
}

function signedText(signed: boolean | null | undefined): string | undefined {
  if (signed === null || signed === undefined) return undefined;
  return signed ? 'signed' : 'not signed';
}
