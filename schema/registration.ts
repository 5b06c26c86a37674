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

const NameserverType = builder.objectRef<Nameserver>('Nameserver').implement({
  description: 'A name server with the addresses that the registry lists (RFC 9083 section 5.2).',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Host name, lower case, no trailing dot.' }),
    ipv4: t.exposeStringList('ipv4', { description: 'IPv4 addresses.' }),
    ipv6: t.exposeStringList('ipv6', { description: 'IPv6 addresses.' }),
  }),
});

const EventType = builder.objectRef<Event>('Event').implement({
  description: 'Something that happened, or will, to the registration (RFC 9083 section 4.5).',
  fields: (t) => ({
    action: t.exposeString('action', {
      description:
        'RFC 9083 section 10.2.3, lower case: `registration`, `expiration`, `last changed` …',
    }),
    date: t.expose('date', {
      type: 'DateTime',
      nullable: true,
      description: 'When; null where the date could not be read.',
    }),
    actor: t.exposeString('actor', { nullable: true, description: 'Who did it.' }),
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
  description: 'Whether the delegation is signed (RFC 9083 section 5.3, `secureDNS`).',
  fields: (t) => ({
    signed: t.exposeBoolean('signed', {
      nullable: true,
      description: 'Null when the registry does not say.',
    }),
    dsRecords: t.expose('dsRecords', {
      type: [DsRecordType],
      description: 'The DS records in the parent zone.',
    }),
  }),
});

const RedactionType = builder.objectRef<Redaction>('Redaction').implement({
  description: 'Something that was left out of the answer on purpose (RFC 9537).',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: true, description: 'What was left out.' }),
    method: t.exposeString('method', {
      description: '"removal", "emptyValue", "partialValue" or "replacementValue".',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why.' }),
  }),
});

export type IdentifiedRegistration = Registration & { readonly id: string };

export const RegistrationType = builder.objectRef<IdentifiedRegistration>('Registration');

RegistrationType.implement({
  interfaces: [builder.nodeInterfaceRef()],
  description:
    'What the registry tells about a registered name (RFC 9083 section 5.3). What is null or empty was not published.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description:
        "`rdap:` and the domain, such as `rdap:taken.test`. A registrar's own record has another: `registrar:` and the domain.",
    }),
    handle: t.exposeString('handle', {
      nullable: true,
      description: "The registry's identifier of the registration.",
    }),
    ldhName: t.exposeString('ldhName', {
      nullable: true,
      description: 'The A-label name as the registry gives it, lower case.',
    }),
    unicodeName: t.exposeString('unicodeName', {
      nullable: true,
      description: 'The U-label name as the registry gives it.',
    }),
    nameservers: t.stringList({
      description: 'Host names of the name servers, lower case, no trailing dot.',
      resolve: ({ hosts }) => hosts.map(({ name }) => name),
    }),
    hosts: t.expose('hosts', {
      type: [NameserverType],
      description: 'The name servers with their addresses.',
    }),
    statuses: t.exposeStringList('statuses', {
      description:
        "RFC 8056 words, lower case: `client hold`. As they were sent: in the registry's own object.",
    }),
  }),
});

/** Who holds the name, and through whom. */
builder.objectFields(RegistrationType, (t) => ({
  registrar: t.expose('registrar', {
    type: RegistrarType,
    nullable: true,
    description:
      "The registrar; in a registrar's own record, it may have nothing but its abuse contact.",
  }),
  registrant: t.expose('registrant', {
    type: ContactType,
    nullable: true,
    description: 'The holder.',
  }),
  contacts: t.expose('contacts', {
    type: [ContactType],
    description: 'Everybody with a role but the registrar; the holder too.',
  }),
}));

/** When it began, changed and ends. */
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
      "When the registration ends unless it is renewed; in a registrar's own record, the `registrar expiration`, or else the `expiration`.",
  }),
  events: t.expose('events', {
    type: [EventType],
    description: 'All events, as the registry lists them.',
  }),
}));

builder.objectFields(RegistrationType, (t) => ({
  dnssec: t.expose('dnssec', { type: DnssecType, description: 'DNSSEC.' }),
  redacted: t.expose('redacted', {
    type: [RedactionType],
    description:
      'What was left out on purpose. Placeholders sent in the place of values are null, and listed here.',
  }),
  raw: t.expose('raw', { type: 'JSON', nullable: true, description: "The registry's own object." }),
}));
