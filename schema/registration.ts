import type {
  Dnssec,
  DsRecord,
  Event,
  Nameserver,
  Redaction,
  Registration,
} from '../src/domain/registration.ts';
import { builder } from './builder.ts';
import { ContactType, RegistrarType } from './contact.ts';
import { entityReferences, nameserverObjectOf } from './objects/lookups.ts';
import {
  IpAddressType,
  NameserverObjectType,
  RelatedEntityType,
  type Address,
  type EntityReference,
} from './objects/types.ts';

/** A nameserver, with the maximum age of what is looked up from it. */
type NameserverRow = Nameserver & Pick<Address, 'maxAge'>;

const NameserverType = builder.objectRef<NameserverRow>('Nameserver').implement({
  description: 'A nameserver with the addresses that the registry lists (RFC 9083 section 5.2).',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'Host name in lower case, without a trailing dot.',
    }),
    ipv4: t.exposeStringList('ipv4', { description: 'IPv4 addresses.' }),
    ipv6: t.exposeStringList('ipv6', { description: 'IPv6 addresses.' }),
    addresses: t.field({
      type: [IpAddressType],
      description: 'All addresses, with their networks.',
      resolve: ({ ipv4, ipv6, maxAge }) => [...ipv4, ...ipv6].map((ip) => ({ ip, maxAge })),
    }),
    object: t.field({
      type: NameserverObjectType,
      nullable: true,
      description:
        "The nameserver's own object at the registry of its TLD. Selecting its fields triggers a lookup, at the price of a " +
        'record. Null if the name is not a host name.',
      resolve: (nameserver, _args, { lookup }) => nameserverObjectOf(nameserver, lookup),
    }),
  }),
});

export const EventType = builder.objectRef<Event>('Event').implement({
  description: 'A past or future event of the registration (RFC 9083 section 4.5).',
  fields: (t) => ({
    action: t.exposeString('action', {
      description:
        'Event in lower case, such as `registration`, `expiration` or `last changed` (RFC 9083 section 10.2.3).',
    }),
    date: t.expose('date', {
      type: 'DateTime',
      nullable: true,
      description: 'Date of the event; null if it could not be parsed.',
    }),
    actor: t.exposeString('actor', { nullable: true, description: 'Who caused the event.' }),
  }),
});

const DsRecordType = builder.objectRef<DsRecord>('DsRecord').implement({
  description: 'A delegation signer record (RFC 4034 section 5).',
  fields: (t) => ({
    keyTag: t.exposeInt('keyTag', { description: 'Key tag.' }),
    algorithm: t.exposeInt('algorithm', { description: 'DNSSEC algorithm number.' }),
    digestType: t.exposeInt('digestType', { description: 'Digest algorithm number.' }),
    digest: t.exposeString('digest', { description: 'Digest, in hexadecimal.' }),
  }),
});

const DnssecType = builder.objectRef<Dnssec>('Dnssec').implement({
  description: 'DNSSEC data of the delegation (RFC 9083 section 5.3, `secureDNS`).',
  fields: (t) => ({
    signed: t.exposeBoolean('signed', {
      nullable: true,
      description: 'Whether the delegation is signed; null if the registry does not say.',
    }),
    dsRecords: t.expose('dsRecords', {
      type: [DsRecordType],
      description: 'The DS records in the parent zone.',
    }),
  }),
});

export const RedactionType = builder.objectRef<Redaction>('Redaction').implement({
  description: 'A value that the registry deliberately withheld (RFC 9537).',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: true, description: 'What was redacted.' }),
    method: t.exposeString('method', {
      description:
        'Redaction method: "removal", "emptyValue", "partialValue" or "replacementValue".',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it was redacted.' }),
  }),
});

/** A registration with its id, the server that sent it, and the maximum age of its lookup. */
export type IdentifiedRegistration = Registration & {
  readonly id: string;
} & Pick<EntityReference, 'baseUrl' | 'maxAge'>;

export const RegistrationType = builder.objectRef<IdentifiedRegistration>('Registration');

RegistrationType.implement({
  interfaces: [builder.nodeInterfaceRef()],
  description:
    "The registry's data on a registered name (RFC 9083 section 5.3). Null or empty means not published.",
  fields: (t) => ({
    id: t.exposeID('id', {
      description:
        "`rdap:` followed by the domain, such as `rdap:taken.test`; for a registrar's own record, `registrar:` followed by the domain.",
    }),
    handle: t.exposeString('handle', {
      nullable: true,
      description: "The registry's identifier for the registration.",
    }),
    ldhName: t.exposeString('ldhName', {
      nullable: true,
      description: 'The A-label name as sent by the registry, in lower case.',
    }),
    unicodeName: t.exposeString('unicodeName', {
      nullable: true,
      description: 'The U-label name as sent by the registry.',
    }),
    nameservers: t.stringList({
      description: 'Host names of the nameservers, in lower case, without trailing dots.',
      resolve: ({ hosts }) => hosts.map(({ name }) => name),
    }),
    hosts: t.field({
      type: [NameserverType],
      description: 'The nameservers with their addresses.',
      resolve: ({ hosts, maxAge }) => hosts.map((host) => ({ ...host, maxAge })),
    }),
    statuses: t.exposeStringList('statuses', {
      description:
        'RFC 8056 status values in lower case, such as `client hold`. `raw` contains them as sent.',
    }),
  }),
});

builder.objectFields(RegistrationType, (t) => ({
  registrar: t.field({
    type: RegistrarType,
    nullable: true,
    description:
      "The registrar. In a registrar's own record, it may consist of the abuse contact only.",
    resolve: ({ registrar, baseUrl, maxAge }) => registrar && { ...registrar, baseUrl, maxAge },
  }),
  registrant: t.expose('registrant', {
    type: ContactType,
    nullable: true,
    description: 'The registrant.',
  }),
  contacts: t.expose('contacts', {
    type: [ContactType],
    description: 'All contacts except the registrar, including the registrant.',
  }),
  entities: t.field({
    type: [RelatedEntityType],
    description:
      'The persons and organizations that the registry lists, including the registrar. `entity` looks one up.',
    resolve: ({ raw, ...registration }, _args, { objects }) =>
      raw ? entityReferences(objects.parser.entitiesIn(raw), registration) : [],
  }),
}));

builder.objectFields(RegistrationType, (t) => ({
  createdAt: t.expose('createdAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the name was registered.',
  }),
  updatedAt: t.expose('updatedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the registration last changed.',
  }),
  expiresAt: t.expose('expiresAt', {
    type: 'DateTime',
    nullable: true,
    description:
      "When the registration expires unless it is renewed. In a registrar's own record: the `registrar expiration`, else the `expiration`.",
  }),
  events: t.expose('events', {
    type: [EventType],
    description: 'All events, as the registry lists them.',
  }),
}));

builder.objectFields(RegistrationType, (t) => ({
  dnssec: t.expose('dnssec', { type: DnssecType, description: 'DNSSEC data.' }),
  redacted: t.expose('redacted', {
    type: [RedactionType],
    description:
      'Values that the registry withheld. A value that was replaced by a placeholder is null and listed here.',
  }),
  raw: t.expose('raw', {
    type: 'JSON',
    nullable: true,
    description: "The registry's raw RDAP object, as sent.",
  }),
}));
