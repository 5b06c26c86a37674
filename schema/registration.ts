import type {
  Contact,
  Dnssec,
  DsRecord,
  Event,
  Nameserver,
  PostalAddress,
  Redaction,
  Registrar,
  Registration,
} from '../src/domain/registration.ts';
import { builder, enumOfWords, objectType } from './builder.ts';
import {
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

/** A registrar, with the server that sent the record and the maximum age of its lookup. */
type RegistrarRow = Registrar & Pick<EntityReference, 'baseUrl' | 'maxAge'>;

const RegistrarType = objectType<RegistrarRow>('Registrar', (t) => ({
  handle: t.exposeString('handle', { nullable: true }),
  entity: t.field({
    type: EntityType,
    nullable: true,
    resolve: (registrar, _args, { lookup }) => entityAt(registrar, lookup),
  }),
  name: t.exposeString('name', { nullable: true }),
  ianaId: t.exposeString('ianaId', { nullable: true }),
  url: t.exposeString('url', { nullable: true }),
  abuseEmail: t.exposeString('abuseEmail', { nullable: true }),
  abusePhone: t.exposeString('abusePhone', { nullable: true }),
}));

const PostalAddressType = objectType<PostalAddress>('PostalAddress', (t) => ({
  street: t.exposeStringList('street'),
  city: t.exposeString('city', { nullable: true }),
  region: t.exposeString('region', { nullable: true }),
  postalCode: t.exposeString('postalCode', { nullable: true }),
  country: t.exposeString('country', { nullable: true }),
  countryCode: t.exposeString('countryCode', { nullable: true }),
}));

export const ContactType = objectType<Contact>('Contact', (t) => ({
  roles: t.exposeStringList('roles'),
  handle: t.exposeString('handle', { nullable: true }),
  kind: t.exposeString('kind', { nullable: true }),
  name: t.exposeString('name', { nullable: true }),
  organization: t.exposeString('organization', { nullable: true }),
  email: t.exposeString('email', { nullable: true }),
  phone: t.exposeString('phone', { nullable: true }),
  fax: t.exposeString('fax', { nullable: true }),
  url: t.exposeString('url', { nullable: true }),
  address: t.expose('address', { type: PostalAddressType, nullable: true }),
}));

/** A nameserver, with the maximum age of what is looked up from it. */
type NameserverRow = Nameserver & Pick<Address, 'maxAge'>;

const NameserverType = objectType<NameserverRow>('Nameserver', (t) => ({
  name: t.exposeString('name'),
  ipv4: t.exposeStringList('ipv4'),
  ipv6: t.exposeStringList('ipv6'),
  addresses: t.field({
    type: [IpAddressType],
    resolve: ({ ipv4, ipv6, maxAge }) => [...ipv4, ...ipv6].map((ip) => ({ ip, maxAge })),
  }),
  object: t.field({
    type: NameserverObjectType,
    nullable: true,
    resolve: (nameserver, _args, { lookup }) => nameserverObjectOf(nameserver, lookup),
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

const DnssecType = objectType<Dnssec>('Dnssec', (t) => ({
  signed: t.exposeBoolean('signed', { nullable: true }),
  dsRecords: t.expose('dsRecords', { type: [DsRecordType] }),
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
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.exposeID('id'),
    source: t.expose('source', { type: RegistrationSource }),
    confidence: t.field({
      type: Confidence,
      resolve: ({ source }) => (source === 'whois' ? 'HEURISTIC' : 'AUTHORITATIVE'),
    }),
    handle: t.exposeString('handle', { nullable: true }),
    ldhName: t.exposeString('ldhName', { nullable: true }),
    unicodeName: t.exposeString('unicodeName', { nullable: true }),
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
    redacted: t.expose('redacted', { type: [RedactionType] }),
    raw: t.expose('raw', { type: 'JSON', nullable: true }),
  }),
});
