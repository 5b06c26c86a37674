import { cardOf } from './jscontact-card.ts';
import type {
  Contact,
  DnsKey,
  Dnssec,
  DsRecord,
  Event,
  JsonObject,
  Nameserver,
  Phone,
  PostalAddress,
  RecordTtl,
  Redaction,
  Registrar,
  Registration,
  Variant,
  VariantName,
} from '../domain/registration.ts';
import { builder, enumOfWords, objectType, nullableStrings, withLookup } from './builder.ts';
import {
  addressesOf,
  entityAt,
  entityReferences,
  EntityType,
  IpAddressType,
  nameserverObjectOf,
  NameserverObjectType,
  RelatedEntityType,
  type Address,
  type EntityReference,
} from './objects/object-row.ts';

type RegistrarRow = Registrar & Pick<EntityReference, 'baseUrl' | 'maxAge'>;

const RegistrarType = objectType<RegistrarRow>('Registrar', (t) => ({
  handle: t.exposeString('handle', { nullable: true }),
  entity: t.field({ type: EntityType, nullable: true, resolve: withLookup(entityAt) }),
  ...nullableStrings(t, 'name', 'ianaId', 'url', 'abuseEmail', 'abusePhone'),
}));

const PostalAddressType = objectType<PostalAddress>('PostalAddress', (t) => ({
  street: t.exposeStringList('street'),
  ...nullableStrings(t, 'city', 'region', 'postalCode', 'country', 'countryCode'),
}));

const PhoneType = objectType<Phone>('Phone', (t) => ({
  number: t.exposeString('number'),
  types: t.exposeStringList('types'),
}));

export const ContactType = objectType<Contact>('Contact', (t) => ({
  roles: t.exposeStringList('roles'),
  ...nullableStrings(t, 'handle', 'kind', 'name', 'organization', 'email', 'phone', 'fax', 'url'),
  phones: t.field({ type: [PhoneType], resolve: ({ phones = [] }) => [...phones] }),
  address: t.expose('address', { type: PostalAddressType, nullable: true }),
  jscontact: t.field({ type: 'JSON', resolve: (contact) => cardOf(contact) as JsonObject }),
}));

type NameserverRow = Nameserver & Pick<Address, 'maxAge'>;

export const NameserverType = objectType<NameserverRow>('Nameserver', (t) => ({
  name: t.exposeString('name'),
  ipv4: t.exposeStringList('ipv4'),
  ipv6: t.exposeStringList('ipv6'),
  addresses: t.field({
    type: [IpAddressType],
    resolve: ({ ipv4, ipv6, maxAge }) => addressesOf([ipv4, ipv6], maxAge),
  }),
  object: t.field({
    type: NameserverObjectType,
    nullable: true,
    resolve: withLookup(nameserverObjectOf),
  }),
}));

export const EventType = objectType<Event>('Event', (t) => ({
  action: t.exposeString('action'),
  date: t.expose('date', { type: 'DateTime', nullable: true }),
  actor: t.exposeString('actor', { nullable: true }),
}));

const DsRecordType = objectType<DsRecord>('DsRecord', (t) => ({
  keyTag: t.exposeInt('keyTag'),
  algorithm: t.exposeInt('algorithm'),
  digestType: t.exposeInt('digestType'),
  digest: t.exposeString('digest'),
}));

const DnsKeyType = objectType<DnsKey>('DnsKey', (t) => ({
  flags: t.exposeInt('flags'),
  protocol: t.exposeInt('protocol'),
  algorithm: t.exposeInt('algorithm'),
  publicKey: t.exposeString('publicKey'),
}));

export const DnssecType = objectType<Dnssec>('Dnssec', (t) => ({
  signed: t.exposeBoolean('signed', { nullable: true }),
  dsRecords: t.expose('dsRecords', { type: [DsRecordType] }),
  keys: t.field({ type: [DnsKeyType], resolve: ({ keys = [] }) => [...keys] }),
  maxSigLife: t.exposeInt('maxSigLife', { nullable: true }),
}));

const VariantNameType = objectType<VariantName>('VariantName', (t) =>
  nullableStrings(t, 'ldhName', 'unicodeName'),
);

export const VariantType = objectType<Variant>('Variant', (t) => ({
  relation: t.exposeStringList('relation'),
  idnTable: t.exposeString('idnTable', { nullable: true }),
  variantNames: t.expose('variantNames', { type: [VariantNameType] }),
}));

const RecordTtlType = objectType<RecordTtl>('RecordTtl', (t) => ({
  type: t.exposeString('type'),
  value: t.exposeInt('value'),
}));

export const RedactionType = objectType<Redaction>('Redaction', (t) => ({
  name: t.exposeString('name', { nullable: true }),
  method: t.exposeString('method'),
  reason: t.exposeString('reason', { nullable: true }),
}));

/** A registration with its id, the server that sent it, and the maximum age of its lookup. */
export type IdentifiedRegistration = Registration & {
  readonly id: string;
  readonly source: 'rdap' | 'whois';
} & Pick<EntityReference, 'baseUrl' | 'maxAge'>;

export const Confidence = builder.enumType('Confidence', {
  values: ['AUTHORITATIVE', 'HEURISTIC'] as const,
});

const RegistrationSource = enumOfWords('RegistrationSource', ['rdap', 'whois']);

export const RegistrationType = builder.objectRef<IdentifiedRegistration>('Registration');

RegistrationType.implement({
  extensions: { isImmutable: true },
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.exposeID('id'),
    source: t.expose('source', { type: RegistrationSource }),
    confidence: t.field({
      type: Confidence,
      resolve: ({ source }) => (source === 'whois' ? 'HEURISTIC' : 'AUTHORITATIVE'),
    }),
    ...nullableStrings(t, 'handle', 'ldhName', 'unicodeName'),
    nameservers: t.stringList({ resolve: ({ hosts }) => hosts.map(({ name }) => name) }),
    hosts: t.field({
      type: [NameserverType],
      resolve: ({ hosts, maxAge }) => hosts.map((host) => ({ ...host, maxAge })),
    }),
    statuses: t.exposeStringList('statuses'),
    registrar: t.field({
      type: RegistrarType,
      nullable: true,
      resolve: ({ registrar, baseUrl, maxAge }) => registrar && { ...registrar, baseUrl, maxAge },
    }),
    registrant: t.expose('registrant', { type: ContactType, nullable: true }),
    contacts: t.expose('contacts', { type: [ContactType] }),
    entities: t.field({
      type: [RelatedEntityType],
      resolve: ({ raw, ...registration }, _args, { objects }) =>
        raw ? entityReferences(objects.parser.entitiesIn(raw), registration) : [],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', nullable: true }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', nullable: true }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    events: t.expose('events', { type: [EventType] }),
    dnssec: t.expose('dnssec', { type: DnssecType }),
    ttls: t.field({ type: [RecordTtlType], resolve: ({ ttls = [] }) => [...ttls] }),
    redacted: t.expose('redacted', { type: [RedactionType] }),
    raw: t.expose('raw', { type: 'JSON', nullable: true }),
  }),
});
