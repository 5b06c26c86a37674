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
  mediaType = rdapMediaType,
): readonly ConformanceFinding[] {
  const conformance = object?.['rdapConformance'] ?? null;
  const isStated = Array.isArray(conformance) && conformance.includes('rdap_level_0');
  const detail = 'The answer does not state that it conforms to rdap_level_0.';
  const code = conformance === null ? 'missing' : 'value';

  return [
    ...(mediaType === rdapMediaType ? [] : [mediaTypeFinding(mediaType)]),
    ...(object && !isStated ? [{ code, path: 'rdapConformance', detail } as const] : []),
    ...(object ? findingsIn(object, '') : []),
  ].slice(0, maxFindings);
}

const rdapMediaType = 'application/rdap+json';

function mediaTypeFinding(sent: string): ConformanceFinding {
  const detail = `The media type is ${sent || 'none'}, not ${rdapMediaType} (RFC 7480).`;
  return { code: 'media_type', path: '', detail };
}

/** The types of the members of RFC 9083, wherever they are. */
const types = {
  string: `objectClassName handle ldhName unicodeName port43 lang startAddress endAddress ipVersion
    country parentHandle eventAction eventDate eventActor href rel title idnTable digest publicKey`,
  list: `status entities events links remarks notices nameservers publicIds variants roles networks
    autnums asEventActor vcardArray dsData keyData description relation variantNames redacted v4 v6`,
  object: 'secureDNS network ipAddresses',
  number: 'startAutnum endAutnum keyTag algorithm digestType flags protocol maxSigLife',
  boolean: 'zoneSigned delegationSigned',
};
const typeOfMember = new Map(
  Object.entries(types).flatMap(([type, names]) => names.split(/\s+/).map((name) => [name, type])),
);
const spellings = new Map(Array.from(typeOfMember.keys(), (name) => [name.toLowerCase(), name]));

/** The classes of the objects in members. */
const classes = new Map([
  ['entities', 'entity'],
  ['nameservers', 'nameserver'],
  ['network', 'ip network'],
  ['networks', 'ip network'],
  ['autnums', 'autnum'],
]);
const withoutClass =
  /^(?:events|asEventActor|links|remarks|notices|variants|variantNames|secureDNS|dsData|keyData|ipAddresses)$/;

function* findingsIn(
  object: JsonObject,
  parent: string,
  className?: string,
): Generator<ConformanceFinding> {
  const sent = object['objectClassName'];
  const path = `${parent}objectClassName`;
  if (sent === undefined && (parent === '' || className !== undefined))
    yield { code: 'missing', path, detail: 'The object does not state its class.' };
  else if (className !== undefined && sent !== className)
    yield { code: 'value', path, detail: `It is not ${JSON.stringify(className)}.` };

  for (const [name, value] of Object.entries(object))
    yield* findingsInMember(name, value, `${parent}${name}`);
}

function* findingsInMember(name: string, value: Json, path: string): Generator<ConformanceFinding> {
  const type = typeOfMember.get(name);
  const spelling = spellings.get(name.toLowerCase());
  if (type === undefined && spelling !== undefined)
    yield { code: 'spelling', path, detail: `The member is ${spelling}.` };

  if (type !== undefined && type !== typeOf(value))
    yield { code: 'type', path, detail: `It is not of the type ${type}.` };
  else if (name === 'eventDate' && !dateTime.test(String(value)))
    yield { code: 'value', path, detail: 'It is not a date and time of RFC 3339.' };
  else if (name === 'country' && value !== '' && !/^[A-Z]{2}$/.test(String(value)))
    yield { code: 'value', path, detail: 'It is not a code of two letters (ISO 3166-1).' };

  if (!classes.has(name) && !withoutClass.test(name)) return;

  for (const [index, entry] of [value].flat().entries()) {
    const at = Array.isArray(value) ? `${path}[${index}]` : path;
    if (typeOf(entry) === 'object')
      yield* findingsIn(entry as JsonObject, `${at}.`, classes.get(name));
    else if (at !== path) yield { code: 'type', path: at, detail: 'It is not an object.' };
  }
}

const dateTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

function typeOf(json: Json): string {
  if (Array.isArray(json)) return 'list';
  return json === null ? 'null' : typeof json;
}
