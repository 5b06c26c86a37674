// cspell:ignore vcards
import type { Json, JsonObject } from '../../domain/registration.ts';

/** The members of RFC 9083 and of its extensions that are read. */
const names = new Set(
  `
  objectClassName handle ldhName unicodeName variants nameservers secureDNS entities status publicIds
  remarks links port43 events network networks autnums zoneSigned delegationSigned maxSigLife dsData
  keyData keyTag algorithm digest digestType flags protocol publicKey ipAddresses v4 v6 roles
  vcardArray asEventActor startAddress endAddress ipVersion name type country parentHandle
  startAutnum endAutnum errorCode title description notices lang value rel href eventAction
  eventActor eventDate identifier redacted method reason prePath postPath replacementPath pathLang
  jscontact_card jscard cidr0_cidrs v4prefix v6prefix length arin_originas0_originautnums
  relation idnTable variantNames ttl0_data
`
    .trim()
    .split(/\s+/),
);

/** Without letter case and underscores: AFNIC sent `secureDns`. */
const spellings: ReadonlyMap<string, string> = new Map([
  ...Array.from(names, (name) => [plain(name), name] as const),
  ['vcard', 'vcardArray'],
  ['vcards', 'vcardArray'],
]);

function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/**
 * Returns an object with the names of its members as RFC 9083 spells them, at any depth: the same
 * object, if it has no other spelling. A member that is also spelled correctly wins.
 */
export function withMemberNames<T extends Json>(json: T): T {
  return isSpelled(json) ? json : (spelled(json) as T);
}

function isSpelled(json: Json): boolean {
  if (typeof json !== 'object' || json === null) return true;
  if (Array.isArray(json)) return json.every(isSpelled);
  for (const key in json as JsonObject)
    if (nameOf(key) !== key || !isSpelled((json as JsonObject)[key] ?? null)) return false;
  return true;
}

function nameOf(key: string): string {
  return names.has(key) ? key : (spellings.get(plain(key)) ?? key);
}

function spelled(json: Json): Json {
  if (Array.isArray(json)) return json.map(spelled);
  if (typeof json !== 'object' || json === null) return json;

  const members = Object.entries(json as JsonObject).map(([key, value]) => [
    nameOf(key),
    spelled(value),
  ]);
  const own = Object.entries(json as JsonObject).flatMap(([key, value]) =>
    nameOf(key) === key ? [[key, spelled(value)]] : [],
  );

  return Object.fromEntries([...members, ...own]) as JsonObject;
}
