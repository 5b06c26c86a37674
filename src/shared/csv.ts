import { stringify, type Options } from 'csv-stringify/sync';
import { printable } from './printable.ts';

/**
 * The columns of results as CSV, in order: the fields of a row in the REST API. Names and positions
 * never change; new columns are added at the end.
 */
export const csvColumns = [
  'index',
  'input',
  'domain',
  'tld',
  'available',
  'status',
  'reason',
  'confidence',
  'source',
  'rdap_endpoint',
  'cached',
  'stale',
  'checked_at',
  'latency_ms',
  'detail',
  'cautions',
  'registrable_name',
  'did_you_mean',
] as const;

export const csvMediaType = 'text/csv';
export const csvContentType = `${csvMediaType}; charset=utf-8; header=present`;

type Cell = string | number | boolean | null | undefined;

/** The fields of a result. An absent or null field is an empty cell. */
export type CsvRow = Readonly<
  Partial<Record<Exclude<(typeof csvColumns)[number], 'cautions' | 'did_you_mean'>, Cell>>
> & {
  /** The cell contains the codes. */
  readonly cautions?: readonly { readonly code: string; readonly detail: string }[];
  readonly did_you_mean?: readonly string[];
};

export function csvOf(rows: readonly CsvRow[]): string {
  return csvHeader() + rows.map(csvLine).join('');
}

/** Returns the first line: the names of the columns. */
export function csvHeader(): string {
  return stringify([[...csvColumns]], format);
}

/**
 * Returns the line of a result, with the final line break (RFC 4180). A text that a spreadsheet
 * would read as a formula begins with an apostrophe (https://owasp.org/www-community/attacks/CSV_Injection).
 * `detail` may quote a registry.
 */
export function csvLine(row: CsvRow): string {
  const detail = typeof row.detail === 'string' ? printable(row.detail) : row.detail;
  const cautions = row.cautions?.map(({ code }) => code).join(' ');
  const cells = { ...row, detail, cautions, did_you_mean: row.did_you_mean?.join(' ') };
  return stringify([csvColumns.map((column) => cells[column])], format);
}

/** A TLD, with the fields of the REST API. */
export interface RestTld {
  readonly sources: readonly { readonly source: string }[];
  /** Absent in the responses of earlier versions. */
  readonly scripts?: readonly string[] | null;
  readonly launch?: { readonly phase: string } | null;
  readonly publishes: object;
}

/** Returns TLDs as CSV: the facts that their registries publish are columns of their own. */
export function tldCsv(rows: readonly RestTld[]): string {
  const lines = rows.map(({ sources, publishes, scripts, launch, ...row }) => ({
    ...row,
    scripts: scripts?.join(' '),
    launch: launch?.phase,
    sources: sources.map(({ source }) => source).join(' '),
    ...publishes,
  }));
  return stringify(lines, { ...format, header: true });
}

const format: Options = {
  record_delimiter: 'windows',
  // Without it, texts with a single CR or LF would not be quoted.
  quote_record_delimiter: true,
  escape_formulas: true,
  cast: { boolean: String },
};
