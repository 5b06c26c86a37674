import * as v from 'valibot';
import { parseDomainName, parseSuffix, type DomainName } from '../../domain/names/domain-name.ts';
import { objectShape } from '../../shared/shapes.ts';
import {
  whoisServiceOf,
  type Lines,
  type WhoisFormat,
  type WhoisService,
} from '../whois/whois-format.ts';
import type { HostPort } from '../../domain/names/ip-address.ts';

/** The WHOIS server of a TLD, as the operator configured it. */
export interface WhoisSettings {
  readonly address?: HostPort;
  /** Defaults to the server of the built-in table. */
  readonly service?: WhoisService;
  /** Registered names for its controls; by default, those of the built-in list. */
  readonly samples?: readonly DomainName[];
}

/** The fields of the object form, for messages. */
export const whoisFields =
  'server, available and registered, and optionally query, suffixes, samples and refusals';

const lines = v.pipe(v.array(v.pipe(v.string(), v.nonEmpty(), v.maxLength(500))), v.minLength(1));

export const whoisShape = v.pipe(
  objectShape(),
  v.strictObject({
    server: v.string(),
    query: v.optional(v.pipe(v.string(), v.regex(/^[\x20-\x7e]*\{name\}[\x20-\x7e]*$/))),
    suffixes: v.optional(v.array(v.string())),
    samples: v.optional(v.array(v.string())),
    available: lines,
    registered: lines,
    refusals: v.optional(lines),
  }),
);
export type RawWhois = v.InferOutput<typeof whoisShape>;

/**
 * Returns the format of a WHOIS server, and the names for its controls, as far as the operator set
 * them. Throws an Error that says what is wrong.
 */
export function readWhoisService(
  settings: string | RawWhois,
  { host, port }: HostPort,
  tld: string,
): Omit<WhoisSettings, 'address'> {
  if (tld === '' || tld.includes('.'))
    throw new Error(
      'is not supported: only a TLD can have a WHOIS server; list its suffixes there',
    );

  if (typeof settings === 'string') {
    if (!whoisServiceOf(tld))
      throw new Error(`needs the format of the server: an object with ${whoisFields}`);
    return {};
  }

  const { samples } = settings;
  const suffixes = (settings.suffixes ?? [tld]).map(readSuffix);
  const outside = suffixes.find((suffix) => suffix !== tld && !suffix.endsWith(`.${tld}`));
  if (outside !== undefined)
    throw new Error(`has the suffix "${outside}", which is not under .${tld}`);

  return {
    service: { host, port, suffixes, format: formatOf(settings) },
    ...(samples && { samples: samples.map((name) => readSample(name, tld)) }),
  };
}

function formatOf({ query, available, registered, refusals }: RawWhois): WhoisFormat {
  if (query !== undefined && countOf('{name}', query) > 1)
    throw new Error('must have {name} once in "query"');

  [...available, ...registered, ...(refusals ?? [])].forEach(assertSimple);
  if (!registered.some((line) => line.includes('{name}')))
    throw new Error('must have a line with {name} in "registered"');

  return {
    ...(query !== undefined && { query }),
    available: [nonEmpty(available)],
    registered: [nonEmpty(registered)],
    ...(refusals && { refusals }),
  };
}

/** A line with more placeholders can take seconds to compare; only the first name is compared. */
function assertSimple(line: string): void {
  const names = countOf('{name}', line);
  if (names > 1) throw new Error(`must not have {name} twice in the line "${line}"`);
  if (names + countOf('{text}', line) > 2)
    throw new Error(`must not have more than two placeholders in the line "${line}"`);
}

function countOf(placeholder: string, text: string): number {
  return text.split(placeholder).length - 1;
}

function readSuffix(text: string): string {
  try {
    return parseSuffix(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`has an invalid suffix: ${reason}`, { cause: error });
  }
}

function readSample(text: string, tld: string): DomainName {
  const name = parseDomainName(text);
  if (!name.endsWith(`.${tld}`))
    throw new Error(`has the sample "${text}", which is not under .${tld}`);
  return name;
}

function nonEmpty([first, ...others]: readonly string[]): Lines {
  if (first === undefined) throw new Error('must have at least one line');
  return [first, ...others];
}
