import { tldTypeOf } from '../../domain/tld-sets.ts';
import type { Contact, JsonObject, Registrar, Registration } from '../../domain/registration.ts';
import { childrenOf, contactOf, maxEntityDepth, rolesOf } from './related-entities.ts';
import { readCard } from './jcard.ts';
import { listOf, maxListLength, objectsOf, omitUndefined } from './json.ts';
import { isWithheld, readRedactions, withheldNames, type ContactSource } from './redactions.ts';
import { asHostName, asIdentifier, asWebUrl, asLowerCaseText } from './text.ts';

/**
 * The fields that are read from the entities of a domain object (RFC 9083 section 5.1). The
 * registrant is one of the contacts.
 */
type Entities = Pick<Registration, 'registrar' | 'registrant' | 'contacts' | 'redacted'>;

/** Reads the registrar, the contacts and the redactions of a domain object. */
export function readEntities(domain: JsonObject): Entities {
  const entities = entitiesIn(domain);
  const registrar = registrarIn(entities);
  const sources = entities
    .filter((entity) => !isOnlyRegistrar(entity))
    .flatMap((entity) => contactSourceOf(entity) ?? []);
  const domainId = isWithheld(domain['handle']) ? ['Registry Domain ID'] : [];
  const contacts = mergeDuplicates(sources.map(({ contact }) => contact));
  return omitUndefined<Entities>({
    registrar: registrar && registrarOf(registrar, domain),
    registrant: contacts.find(({ roles }) => roles.includes('registrant')),
    contacts,
    redacted: readRedactions(domain, [...domainId, ...sources.flatMap(withheldNames)]),
  });
}

/**
 * Returns all entities, outer before inner, except those inside a registrar, which are its staff
 * and not contacts of the domain.
 */
function entitiesIn(domain: JsonObject): readonly JsonObject[] {
  let entities: readonly JsonObject[] = [];
  let level = childrenOf(domain);
  for (let depth = 0; depth < maxEntityDepth && level.length > 0; depth++) {
    entities = [...entities, ...level].slice(0, maxListLength);
    level = level.filter((entity) => !isRegistrar(entity)).flatMap(childrenOf);
  }
  return entities;
}

/**
 * AFNIC lists former registrars with the status `inactive` before the one that sponsors the
 * registration.
 */
function registrarIn(entities: readonly JsonObject[]): JsonObject | undefined {
  const registrars = entities.filter(isRegistrar);
  return (
    registrars.find((entity) => rolesOf(entity).includes('sponsor')) ??
    registrars.find(
      (entity) =>
        !listOf(entity['status']).some((status) => asLowerCaseText(status) === 'inactive'),
    ) ??
    registrars[0]
  );
}

function registrarOf(entity: JsonObject, domain: JsonObject): Registrar {
  const { name, organization, url } = readCard(entity);
  const handle = asIdentifier(entity['handle']);
  return omitUndefined<Registrar>({
    handle,
    name: name ?? organization ?? nameInAbuseContact(entity) ?? handle,
    ianaId: ianaIdOf(entity) ?? (isHandleIanaId(entity, domain) ? asIanaId(handle) : undefined),
    url: websiteOf(entity) ?? url,
    ...abuseContactOf([...childrenOf(entity), entity, ...childrenOf(domain)]),
  });
}

/** Returns the registrar's name from its abuse contact, unless that is the name of a department. */
function nameInAbuseContact(registrar: JsonObject): string | undefined {
  return childrenOf(registrar)
    .filter(isAbuse)
    .map(readCard)
    .map(({ kind, name, organization }) => organization ?? (kind === 'individual' ? '' : name))
    .find((text) => text && !departments.test(text));
}

const departments = /abuse|contact|customer|department|desk|support|team/i;

/**
 * Returns whether the handle of a registrar is its IANA id: under gTLDs (gTLD response profile,
 * section 2.4), if the server does not send public ids. Other registries have ids of their own.
 */
function isHandleIanaId(registrar: JsonObject, domain: JsonObject): boolean {
  const tld = asHostName(domain['ldhName'])?.split('.').at(-1);
  const hasPublicIds = objectsOf(registrar['publicIds']).length > 0;
  return tld !== undefined && tldTypeOf(tld) === 'gtld' && !hasPublicIds;
}

/**
 * Reads the abuse contact of a registrar's record that lacks the registrar entity. The contact is
 * the registrar's, but its name is not the registrar's name. Undefined without an e-mail address or
 * a telephone number.
 */
export function readAbuseContact(domain: JsonObject): Registrar | undefined {
  const abuseEntities = childrenOf(domain).filter(
    (entity) => isAbuse(entity) && !rolesOf(entity).includes('registrant'),
  );
  const contact = abuseContactOf(abuseEntities);
  return (
    contact &&
    omitUndefined<Registrar>({
      ianaId: abuseEntities.map(ianaIdOf).find((id) => id !== undefined),
      ...contact,
    })
  );
}

function abuseContactOf(
  entities: readonly JsonObject[],
): Pick<Registrar, 'abuseEmail' | 'abusePhone'> | undefined {
  const found = entities
    .filter(isAbuse)
    .map(readCard)
    .find(({ email, phone }) => email ?? phone);
  return (
    found &&
    omitUndefined<Pick<Registrar, 'abuseEmail' | 'abusePhone'>>({
      abuseEmail: found.email,
      abusePhone: found.phone,
    })
  );
}

function ianaIdOf(entity: JsonObject): string | undefined {
  const ids = objectsOf(entity['publicIds']).filter(
    ({ type }) => asLowerCaseText(type) === 'iana registrar id',
  );
  return asIanaId(asIdentifier(ids[0]?.['identifier']));
}

/** Accepts a number, but not the `0000` of registries whose registrars need no accreditation. */
function asIanaId(text: string | undefined): string | undefined {
  return text && /^0*[1-9]\d{0,6}$/.test(text) ? text.replace(/^0+/, '') : undefined;
}

/**
 * Returns the `about` link, which is the registrar's website by the gTLD profile. Some registries
 * put an RDAP URL there; the media types are wrong in both cases, so they cannot tell them apart.
 */
function websiteOf(entity: JsonObject): string | undefined {
  return objectsOf(entity['links'])
    .filter(({ rel }) => /^(?:about|related|alternate)$/.test(asLowerCaseText(rel) ?? ''))
    .map(({ href }) => asWebUrl(href))
    .find((url) => url !== undefined && !/\brdap/i.test(url));
}

function contactSourceOf(entity: JsonObject): ContactSource | undefined {
  const contact = contactOf(entity);
  return contact.roles.length > 0 || Object.keys(contact).length > 1
    ? { entity, contact }
    : undefined;
}

/**
 * Merges contacts that are listed once per role, if all other fields are equal: a registry may
 * redact one handle differently for each role, and a value withheld in one must not reappear from
 * another.
 */
function mergeDuplicates(contacts: readonly Contact[]): readonly Contact[] {
  const merged = new Map<unknown, Contact>();
  for (const contact of contacts) {
    const identifier = contact.handle ?? contact.name ?? contact.organization ?? contact.email;
    // Contacts without an identifier, for example with only a country, are not merged.
    const identity = identifier === undefined ? contact : JSON.stringify({ ...contact, roles: [] });
    const roles = [...(merged.get(identity)?.roles ?? []), ...contact.roles];
    merged.set(identity, { ...contact, roles: [...new Set(roles)] });
  }
  return [...merged.values()];
}

function isRegistrar(entity: JsonObject): boolean {
  return rolesOf(entity).includes('registrar');
}

function isAbuse(entity: JsonObject): boolean {
  return rolesOf(entity).includes('abuse');
}

function isOnlyRegistrar(entity: JsonObject): boolean {
  return (
    isRegistrar(entity) &&
    rolesOf(entity).every((role) => role === 'registrar' || role === 'sponsor' || role === 'abuse')
  );
}
