import type { DomainName } from '../../domain/names/domain-name.ts';
import type { Verdict } from '../../domain/verdict.ts';
import table from './das-table.json' with { type: 'json' };

/**
 * A query as sent to the server. `{name}` stands for the full name, `{label}` for the name without
 * its TLD.
 */
export type RequestForm = `${string}{${'name' | 'label'}}${'\n' | '\r\n'}`;

/**
 * What a result code means. `status`: the status line states the verdict. `limited`: too many
 * queries. `blocked`: the operator has blocked this address. `failed`: a temporary error.
 * `rejected`: the query is invalid.
 */
export type CodeMeaning =
  'status' | 'available' | 'not_available' | 'limited' | 'blocked' | 'failed' | 'rejected';

/** The availability service (DAS) of a registry. Patterns are texts in the table. */
export interface DasService<Pattern = RegExp> {
  readonly tlds: readonly string[];
  readonly host: string;
  readonly port: number;
  /** If there are several, the documentation is contradictory: only a control shows which works. */
  readonly forms: readonly [RequestForm, ...RequestForm[]];
  /** The result codes of replies. */
  readonly codes?: {
    /** Matches the line with the code, which is the first group. */
    readonly pattern: Pattern;
    readonly meanings: Readonly<Record<string, CodeMeaning>>;
  };
  /** Undefined if a reply contains neither the name nor a status: its first line has the code. */
  readonly status?: {
    /** Matches each line with the queried name, which is the first group. */
    readonly name: Pattern;
    /** Matches the last line of a reply. The first group is the status. */
    readonly line: Pattern;
    /** By status in lower case. */
    readonly verdicts: Readonly<Record<string, Verdict>>;
  };
}

const port = 4343;

const services = (table as unknown as readonly DasService<string>[]).map(
  ({ codes, status, ...service }): DasService => ({
    ...service,
    port,
    ...(codes && { codes: { ...codes, pattern: new RegExp(codes.pattern) } }),
    ...(status && {
      status: { ...status, name: new RegExp(status.name), line: new RegExp(status.line) },
    }),
  }),
);

/** The TLDs whose registry has an availability service. */
export const dasTlds: readonly string[] = services.flatMap(({ tlds }) => tlds);

/** Returns the availability service of a TLD, given in lower case. */
export function dasServiceOf(tld: string): DasService | undefined {
  return services.find(({ tlds }) => tlds.includes(tld));
}

/** Returns the query for a name in one of the request forms of its service. */
export function toRequest(form: RequestForm, name: DomainName): string {
  return form.replace('{name}', name).replace('{label}', name.slice(0, name.lastIndexOf('.')));
}
