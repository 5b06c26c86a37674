import type { DomainName } from '../../domain/domain-name.ts';
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

interface Codes {
  /** Matches the line with the code, which is the first group. */
  readonly pattern: RegExp;
  readonly meanings: Readonly<Record<string, CodeMeaning>>;
}

/** A reply in which `Domain:` and `Status:` lines follow the result code, if there is one. */
export interface StatusReply {
  readonly codes?: Codes;
  /** Matches each line with the queried name, which is the first group. */
  readonly name: RegExp;
  /** Matches the last line of a reply. The first group is the status. */
  readonly status: RegExp;
  /** By status in lower case. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

/** A reply whose first line has a result code, and which does not contain the name. */
export interface CodeReply {
  readonly codes: Codes;
  readonly status?: undefined;
}

/** The availability service (DAS) of a registry. */
export interface DasService {
  readonly tlds: readonly string[];
  readonly host: string;
  readonly port: number;
  /** If there are several, the documentation is contradictory: only a control shows which works. */
  readonly forms: readonly [RequestForm, ...RequestForm[]];
  readonly reply: StatusReply | CodeReply;
}

const port = 4343;

interface BuiltInService extends Pick<DasService, 'tlds' | 'host' | 'forms'> {
  readonly reply: {
    readonly codes?: { readonly pattern: string; readonly meanings: Codes['meanings'] };
    readonly name?: string;
    readonly status?: string;
    readonly verdicts?: Readonly<Record<string, Verdict>>;
  };
}

const services = (table as unknown as readonly BuiltInService[]).map(compile);

function compile({
  reply: { codes, name, status, verdicts = {} },
  ...service
}: BuiltInService): DasService {
  const compiled = codes && { pattern: new RegExp(codes.pattern), meanings: codes.meanings };
  if (name === undefined || status === undefined) {
    if (!compiled) throw new Error(`${service.host} has neither codes nor a status`);
    return { ...service, port, reply: { codes: compiled } };
  }

  const byStatus = Object.entries(verdicts).map(
    ([word, verdict]) => [word.toLowerCase(), verdict] as const,
  );
  const reply = { name: new RegExp(name), status: new RegExp(status), verdicts: new Map(byStatus) };

  return { ...service, port, reply: { ...reply, ...(compiled && { codes: compiled }) } };
}

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
