import type { Verdict } from '../../domain/verdict.ts';
import table from './whois-table.json' with { type: 'json' };

/** Lines that must all be in a reply. */
export type Lines = readonly [LineTemplate, ...LineTemplate[]];

/** How the replies of a server are recognized. */
export interface WhoisFormat {
  /** The query without its line end; `{name}` by default. */
  readonly query?: string;
  /** A reply about an unregistered name has all lines of one alternative. */
  readonly available: readonly [Lines, ...Lines[]];
  /** A reply about a registered name has all lines of one alternative. One of them has `{name}`. */
  readonly registered: readonly [Lines, ...Lines[]];
  /** Lines that state another verdict, or that there is none. */
  readonly states?: readonly State[];
  /** Lines of refusals that other servers do not send. */
  readonly refusals?: readonly LineTemplate[];
  /** What else a reply about a registered name states. */
  readonly record?: RecordFormat;
}

export interface State {
  readonly line: LineTemplate;
  readonly verdict: Exclude<Verdict, 'AVAILABLE'> | 'UNKNOWN';
}

/** Which lines of a reply about a registered name state its registration. No others are read. */
export interface RecordFormat {
  readonly dates: readonly DateFormat[];
  readonly parts: readonly ReplyPart[];
}

/** A form of dates, such as `{day}/{month}/{year} {time}`, and the time zone, by default UTC. */
export interface DateFormat {
  readonly format: string;
  readonly zone?: string;
}

/**
 * Lines that are read in a part of the reply, by default in all of it. Their placeholders are
 * `{registrar}`, `{registrarUrl}`, `{ianaId}`, `{organization}` (of the registrant), `{created}`,
 * `{updated}`, `{changed}` (one of several updates, of which the latest counts), `{expires}`,
 * `{nameserver}`, `{status}`, `{dnssec}` (a word) and `{keys}` (keys of DNSSEC, or blank).
 */
interface ReplyPart {
  /** The part begins after this line, and ends with the next blank line. */
  readonly under?: LineTemplate;
  /** The part begins after this line, and ends with the reply. */
  readonly after?: LineTemplate;
  /** Only names under these suffixes have it. */
  readonly suffixes?: readonly string[];
  readonly lines: readonly LineTemplate[];
}

/**
 * A line of a reply. `{name}` stands for the queried name, `{variant}` for a name that the reply lists
 * with its variants, `{text}` for any text, ` {text}` for a value that is not blank, and a space for
 * any number of spaces and tabs. Letter case is ignored. In a `RecordFormat`, other placeholders stand
 * for values.
 */
export type LineTemplate = string;

/** A compiled line template. */
export interface LinePattern {
  readonly regExp: RegExp;
  readonly hasName: boolean;
  /** Whether the reply may also have such a line with another name. */
  readonly isVariant: boolean;
}

/** Compiles a template into a pattern for a whole line. Trailing white space is ignored. */
export function compileLine(template: LineTemplate): LinePattern {
  const isVariant = template.includes('{variant}');
  return {
    regExp: toRegExp(template, escapeRegExp),
    hasName: isVariant || template.includes('{name}'),
    isVariant,
  };
}

/** Compiles a line of a `RecordFormat`, whose values are named groups. */
export function compileFields(template: LineTemplate): RegExp {
  return toRegExp(template, fieldSource);
}

function toRegExp(template: LineTemplate, sourceOf: (part: string) => string): RegExp {
  const source = template
    .split(/(\{\w+\}| +(?:\{text\})?)/)
    .map((part) => placeholders.get(part.trimStart())?.(part) ?? sourceOf(part))
    .join('');
  // With the flag `s`, `.*` at the end matches every line, so that no shorter match is tried.
  return new RegExp(`^${source}[ \\t]*$`, 'isu');
}

const placeholders: ReadonlyMap<string, (part: string) => string> = new Map([
  ['{name}', (_part: string) => '([^\\s"]+?)'],
  ['{variant}', (_part: string) => '([^\\s"]+?)'],
  ['{text}', (part: string) => (part.startsWith(' ') ? '[ \\t]+[^ \\t].*' : '.*')],
  ['', (spaces: string) => (spaces === '' ? '' : '[ \\t]+')],
]);

function fieldSource(part: string): string {
  const [, field] = /^\{(\w+)\}$/.exec(part) ?? [];
  if (field === undefined) return escapeRegExp(part);
  if (field === 'keys') return '(?<keys>.*)';
  // Without a parenthesis, so that the two values of `Name(URL)` are told apart.
  return field === 'registrarUrl' ? '(?<registrarUrl>[^\\s()]+)' : `(?<${field}>[^ \\t].*)`;
}

export function escapeRegExp(text: string): string {
  return text.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');
}

/** The WHOIS server of a registry. */
export interface WhoisService {
  readonly host: string;
  readonly port: number;
  /** The suffixes directly under which the server has names; by default, all suffixes of the TLD. */
  readonly suffixes?: readonly string[];
  /** The server is queried only for the expiry of registered names, which their RDAP server omits. */
  readonly completesExpiry?: boolean;
  readonly format: WhoisFormat;
}

interface BuiltInService extends Omit<WhoisService, 'port'> {
  readonly tlds: readonly string[];
}

const port = 43;

/**
 * Servers whose replies were captured for both registered and unregistered names, and whose terms
 * do not forbid automated queries (`docs/reference/registry-terms.md` quotes them).
 */
const services = table as unknown as readonly BuiltInService[];

/** The TLDs whose WHOIS server is queried for verdicts. */
export const whoisTlds: readonly string[] = services
  .filter(({ completesExpiry }) => completesExpiry !== true)
  .flatMap(({ tlds }) => tlds);

/** Returns the WHOIS server of a TLD, given in lower case. */
export function whoisServiceOf(tld: string): WhoisService | undefined {
  const service = services.find(({ tlds }) => tlds.includes(tld));
  if (!service) return undefined;
  const { tlds: _tlds, ...rest } = service;
  return { ...rest, port };
}
