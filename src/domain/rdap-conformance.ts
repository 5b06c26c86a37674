import type { Json, JsonObject } from './registration.ts';

/** Where an answer differs from the standards. It says nothing about what the answer means. */
export interface ConformanceFinding {
  readonly code: 'media_type' | 'missing' | 'type' | 'value' | 'spelling';
  /** The member, such as `entities[0].handle`; empty for the whole answer. */
  readonly path: string;
  readonly detail: string;
}

/** The most findings of an answer; a server often repeats one. */
const maxFindings = 50;

/**
 * Returns what of an answer does not conform to RFC 7480 and RFC 9083, as far as that can be told
 * without the registry's profile. `mediaType` is lower case, without parameters.
 */
export function conformanceFindings(
  object: JsonObject | undefined,
  mediaType: string | undefined,
): readonly ConformanceFinding[] {
  const findings: ConformanceFinding[] = [];
  const report: Report = (code, path, detail) =>
    void (findings.length < maxFindings && findings.push({ code, path, detail }));
  if (mediaType !== undefined && mediaType !== 'application/rdap+json') {
    const sent = mediaType === '' ? 'none' : mediaType;
    report('media_type', '', `The media type is ${sent}, not application/rdap+json (RFC 7480).`);
  }
  if (object) {
    const { rdapConformance: conformance } = object;
    if (conformance === undefined)
      report('missing', 'rdapConformance', 'The answer does not state its conformance.');
    else if (!Array.isArray(conformance) || !conformance.includes('rdap_level_0'))
      report('value', 'rdapConformance', 'It does not contain rdap_level_0.');
    checkObject(object, '', report);
  }
  return findings;
}

type Report = (code: ConformanceFinding['code'], path: string, detail: string) => void;

/** The types of the members of RFC 9083, wherever they are. */
const types: readonly [type: string, is: (json: Json) => boolean, members: string][] = [
  [
    'a string',
    (json) => typeof json === 'string',
    `objectClassName handle ldhName unicodeName port43 lang startAddress endAddress ipVersion
    country parentHandle eventAction eventDate eventActor href rel title idnTable digest publicKey`,
  ],
  [
    'a list',
    (json) => Array.isArray(json),
    `status entities events links remarks notices nameservers publicIds variants roles networks autnums
    asEventActor vcardArray dsData keyData description relation variantNames redacted rdapConformance
    v4 v6`,
  ],
  ['an object', (json) => isObject(json), 'secureDNS network ipAddresses'],
  [
    'a number',
    (json) => typeof json === 'number',
    'startAutnum endAutnum keyTag algorithm digestType flags protocol maxSigLife',
  ],
  ['a boolean', (json) => typeof json === 'boolean', 'zoneSigned delegationSigned'],
];
const rules = new Map(
  types.flatMap(([type, is, members]) =>
    members.split(/\s+/).map((name) => [name, { type, is }] as const),
  ),
);
const spellings = new Map(Array.from(rules.keys(), (name) => [name.toLowerCase(), name]));

/** The members that contain objects with members of RFC 9083, and the class that each must have. */
const children: ReadonlyMap<string, string | undefined> = new Map([
  ['entities', 'entity'],
  ['nameservers', 'nameserver'],
  ['network', 'ip network'],
  ['networks', 'ip network'],
  ['autnums', 'autnum'],
  ...['events', 'asEventActor', 'links', 'remarks', 'notices', 'variants', 'variantNames'].map(
    (name) => [name, undefined] as const,
  ),
  ...['secureDNS', 'dsData', 'keyData', 'ipAddresses'].map((name) => [name, undefined] as const),
]);

function checkObject(object: JsonObject, path: string, report: Report, className = ''): void {
  const sentClass = object['objectClassName'];
  if (path === '' || className !== '') {
    if (sentClass === undefined)
      report('missing', join(path, 'objectClassName'), 'The object does not state its class.');
    else if (className !== '' && sentClass !== className)
      report('value', join(path, 'objectClassName'), `It is not ${JSON.stringify(className)}.`);
  }
  for (const [name, value] of Object.entries(object)) checkMember(name, value, path, report);
}

function checkMember(name: string, value: Json, parent: string, report: Report): void {
  const path = join(parent, name);
  const rule = rules.get(name);
  const spelling = spellings.get(name.toLowerCase());
  if (!rule && spelling !== undefined) report('spelling', path, `The member is ${spelling}.`);
  if (rule && !rule.is(value)) report('type', path, `It is not ${rule.type}.`);
  else if (name === 'eventDate' && !dateTime.test(String(value)))
    report('value', path, 'It is not a date and time of RFC 3339.');
  else if (name === 'country' && value !== '' && !/^[A-Z]{2}$/.test(String(value)))
    report('value', path, 'It is not a code of two letters (ISO 3166-1).');
  if (!children.has(name)) return;
  const entries = Array.isArray(value) ? (value as readonly Json[]) : undefined;
  for (const [index, entry] of (entries ?? [value]).entries()) {
    const at = entries ? `${path}[${index}]` : path;
    if (isObject(entry)) checkObject(entry, at, report, children.get(name));
    else if (entries) report('type', at, 'It is not an object.');
  }
}

const dateTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function join(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`;
}
