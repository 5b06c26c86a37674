import * as v from 'valibot';
import { parseSuffix } from '../../domain/names/domain-name.ts';
import {
  parseAddressPort,
  parseHostPort,
  normalizeAddress,
  type HostPort,
} from '../../domain/names/ip-address.ts';
import { policyKinds, type PolicyKind } from '../../domain/policy.ts';
import { tldSets, type TldSets } from '../../domain/names/tld-sets.ts';
import { isPublicAddress } from '../../outbound/public-address.ts';
import { objectShape } from '../../shared/shapes.ts';
import { dasTlds } from '../whois/das-services.ts';
import { toBaseUrl } from './bootstrap-parser.ts';
import {
  readWhoisService,
  whoisFields,
  whoisShape,
  type RawWhois,
  type WhoisSettings,
} from './whois-settings.ts';

/** The sources of a suffix. Null disables a source; an absent one is not configured. */
export interface SuffixSettings {
  /** Equivalent base URLs, HTTPS first, each ending with a slash. */
  readonly rdap?: readonly [string, ...string[]] | null;
  readonly das?: HostPort | null;
  readonly whois?: WhoisSettings | null;
  /** Name servers of the zone, by IP address. */
  readonly dns?: readonly HostPort[] | null;
  /** Who may register names. */
  readonly policy?: PolicyKind;
}

/** The sources that the operator configured. */
export interface SourceSettings {
  /** The suffixes of the file, without the root. */
  readonly suffixes: ReadonlySet<string>;
  /** The file states the policy of a suffix. */
  readonly hasPolicies: boolean;
  /** Returns the settings of a suffix. Each source is that of the longest suffix with a setting. */
  of(suffix: string): SuffixSettings;
}

const defaultDasPort = 4343;
const defaultWhoisPort = 43;
const defaultDnsPort = 53;

const fields = {
  rdap: 'a list of https: URLs without a query, or null',
  das: 'a host with an optional port, such as das.example:4343, or null',
  whois: `a host with an optional port, such as whois.example:43, an object with ${whoisFields}, or null`,
  dns: 'a list of IP addresses with optional ports, such as 192.0.2.1:53 and [2001:db8::1]:53, or null',
  policy: `one of ${policyKinds.join(', ')}`,
} as const;
type Field = keyof typeof fields;

const settingsShape = v.strictObject({
  rdap: v.optional(v.nullable(v.array(v.string()))),
  das: v.optional(v.nullable(v.string())),
  whois: v.optional(v.nullable(v.union([v.string(), whoisShape]))),
  dns: v.optional(v.nullable(v.pipe(v.array(v.string()), v.minLength(1)))),
  policy: v.optional(v.picklist(policyKinds)),
});
const members = v.strictObject({
  // An array would be accepted as an object without keys.
  suffixes: v.optional(
    v.pipe(objectShape(), v.record(v.string(), v.pipe(objectShape(), settingsShape))),
    {},
  ),
  // `parseSiteSettings` reads these two.
  sites: v.optional(v.unknown()),
  resolvers: v.optional(v.unknown()),
});
const documentShape = v.pipe(
  objectShape(),
  v.check((document) => Object.keys(document).length > 0),
  members,
);
/**
 * Parses the file of `SOURCES_FILE`. Private addresses and plain `http:` are accepted with
 * `allowPrivate` only. Throws an Error that names the suffix, the field and what is expected.
 */
export function parseSourcesFile(document: unknown, allowPrivate: boolean): SourceSettings {
  const { success, output, issues } = v.safeParse(documentShape, document);
  if (!success) throw shapeError(issues[0].path?.map(({ key }) => String(key)) ?? []);

  const bySuffix = new Map<string, SuffixSettings>();
  for (const [text, settings] of Object.entries(output.suffixes)) {
    const suffix = text === '' ? '' : parseSuffix(text);
    if (bySuffix.has(suffix)) throw new Error(`the suffix "${suffix}" is listed twice`);
    bySuffix.set(suffix, readSettings(suffix, settings, allowPrivate));
  }

  return settingsOf(bySuffix);
}

function settingsOf(bySuffix: ReadonlyMap<string, SuffixSettings>): SourceSettings {
  return {
    suffixes: new Set(Array.from(bySuffix.keys()).filter((suffix) => suffix !== '')),
    hasPolicies: Array.from(bySuffix.values()).some(({ policy }) => policy !== undefined),
    of: (suffix) => {
      let settings = bySuffix.get('') ?? {};
      // From the TLD down: the properties of the longest suffix take precedence.
      for (let dot = suffix.length; dot > 0;) {
        dot = suffix.lastIndexOf('.', dot - 1);
        const own = bySuffix.get(suffix.slice(dot + 1));
        if (own) settings = { ...settings, ...own };
      }
      return settings;
    },
  };
}

/** The settings without a file. */
export const noSourceSettings: SourceSettings = settingsOf(new Map());

/** A field of a suffix. */
interface Place {
  readonly suffix: string;
  readonly field: Field;
  readonly allowPrivate: boolean;
}

function readSettings(
  suffix: string,
  { rdap, das, whois, dns, policy }: v.InferOutput<typeof settingsShape>,
  allowPrivate: boolean,
): SuffixSettings {
  const at = (field: Field): Place => ({ suffix, field, allowPrivate });
  return {
    ...(rdap !== undefined && { rdap: rdap && readBaseUrls(rdap, at('rdap')) }),
    ...(das !== undefined && { das: das === null ? null : readDas(das, at('das')) }),
    ...(whois !== undefined && { whois: whois === null ? null : readWhois(whois, at('whois')) }),
    ...(dns !== undefined && { dns: dns && readNameServers(dns, at('dns')) }),
    ...(policy && { policy }),
  };
}

function readBaseUrls(texts: readonly string[], place: Place): readonly [string, ...string[]] {
  const baseUrls = texts.map((text) => readBaseUrl(text, place));
  const [first, ...others] = baseUrls.toSorted(
    (a, b) => Number(b.startsWith('https:')) - Number(a.startsWith('https:')),
  );
  if (first === undefined) throw fieldError(place);
  return [first, ...others];
}

function readBaseUrl(text: string, place: Place): string {
  const [baseUrl] = toBaseUrl(text);
  if (baseUrl === undefined) throw fieldError(place, text);
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'http:') assertPrivateAllowed(text, 'is a plain http: URL', place);
  assertAllowedAddress(text, hostname, place);
  return baseUrl;
}

function readDas(text: string, place: Place): HostPort {
  if (!dasTlds.includes(place.suffix))
    throw new Error(
      `${nameOf(place)} is not supported: only the formats of ${dasTlds.join(', ')} are known`,
    );
  return checkServer(text, parseHostPort(text, defaultDasPort), place);
}

function readNameServers(texts: readonly string[], place: Place): readonly HostPort[] {
  return texts.map((text) => checkServer(text, parseAddressPort(text, defaultDnsPort), place));
}

function readWhois(settings: string | RawWhois, place: Place): WhoisSettings {
  const text = typeof settings === 'string' ? settings : settings.server;
  const address = checkServer(text, parseHostPort(text, defaultWhoisPort), place);
  try {
    return { address, ...readWhoisService(settings, address, place.suffix) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${nameOf(place)} ${reason}`, { cause: error });
  }
}

function checkServer(text: string, server: HostPort | undefined, place: Place): HostPort {
  if (!server) throw fieldError(place, text);
  assertAllowedAddress(text, server.host, place);
  return server;
}

/** Host names are not checked here: the client checks the addresses to which it connects. */
function assertAllowedAddress(text: string, host: string, place: Place): void {
  const address = normalizeAddress(host);
  if (address !== undefined && !isPublicAddress(address))
    assertPrivateAllowed(text, 'is not a public address', place);
}

function assertPrivateAllowed(text: string, reason: string, place: Place): void {
  if (!place.allowPrivate)
    throw new Error(
      `${nameOf(place)}: ${JSON.stringify(text)} ${reason}; set RDAP_ALLOW_PRIVATE=true to allow it`,
    );
}

/** Describes what is wrong at a path such as `suffixes`, `eu`, `das`. */
function shapeError([, suffix, field]: readonly string[]): Error {
  if (suffix === undefined)
    return new Error(
      'it does not have the form {"suffixes":{"eu":{"das":"das.example:4343"},"io":{"rdap":["https://…/"]}}}',
    );
  if (field !== undefined && isField(field)) return fieldError({ suffix, field });

  const names = Object.keys(fields).join(', ');
  return new Error(
    field === undefined
      ? `the suffix "${suffix}" must be an object with some of ${names}`
      : `${nameOf({ suffix, field })} is unknown; the fields are ${names}`,
  );
}

function isField(text: string): text is Field {
  return Object.hasOwn(fields, text);
}

function fieldError(place: Pick<Place, 'suffix' | 'field'>, value?: string): Error {
  const got = value === undefined ? '' : `, got ${JSON.stringify(value)}`;
  return new Error(`${nameOf(place)} must be ${fields[place.field]}${got}`);
}

function nameOf({ suffix, field }: { readonly suffix: string; readonly field: string }): string {
  return `${field} of the suffix "${suffix}"`;
}

const form =
  'must have the form {"My brands": ["com", "co.uk"]}, with titles of up to 40 letters, digits, hyphens and spaces';
const fileShape = v.pipe(
  objectShape(),
  v.record(
    v.pipe(v.string(), v.trim(), v.regex(/^[\p{L}\p{N} -]{1,40}$/u)),
    v.pipe(v.array(v.string()), v.minLength(1)),
  ),
);

/**
 * Parses the file of `SETS_FILE`: TLDs and longer suffixes, by the title of their set. Returns the
 * sets by name: `My brands` is `@my-brands`. Throws an Error that names the set at fault.
 */
export function parseSetsFile(document: unknown): TldSets {
  const { success, output, issues } = v.safeParse(fileShape, document);
  if (!success) {
    const title = issues[0].path?.[0].key;
    throw new Error(`${title === undefined ? '' : `set "${String(title)}": `}it ${form}`);
  }

  const sets = Object.entries(output).map(([title, tlds]) => {
    const name = title.toLowerCase().replaceAll(/ +/g, '-');
    if (name === 'all' || Object.hasOwn(tldSets, name))
      throw new Error(`set "${title}": @${name} is a built-in set`);
    return [name, { reason: title, tlds: tlds.map((tld) => parseSuffix(tld)) }];
  });

  return Object.fromEntries(sets);
}
