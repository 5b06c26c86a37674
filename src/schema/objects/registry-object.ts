import {
  holderOf,
  type Autnum,
  type Entity,
  type IpNetwork,
  type NameserverObject,
  type RdapObject,
  type ReverseZone,
} from '../../domain/rdap-objects.ts';
import type { Context } from '../../execution/context.ts';
import { pricedObject } from '../../execution/field-facts.ts';
import type { ObjectOutcome } from '../../lookup/object-lookups.ts';
import { EvidenceType } from '../evidence.ts';
import { withLookup } from '../builder.ts';
import { problemField } from '../problem.ts';
import {
  ContactType,
  DnssecType,
  EventType,
  NameserverType,
  RedactionType,
} from '../registration.ts';
import {
  AutnumType,
  counted,
  embedded,
  entityAt,
  entityReferences,
  EntityType,
  fieldOf,
  IpAddressType,
  IpNetworkType,
  LinkType,
  listField,
  listFieldOf,
  NameserverObjectType,
  networkOf,
  addressesOf,
  outcomeField,
  parentOf,
  PublicIdType,
  RegistryObjectType,
  RelatedEntityType,
  RemarkType,
  reverseZoneOf,
  ReverseZoneType,
  type DataRow,
  type EntityReference,
} from './object-row.ts';

const objectField = fieldOf<RdapObject>();
const objectList = listFieldOf<RdapObject>();
const member = <Key extends keyof ObjectOutcome>(key: Key) =>
  outcomeField((outcome) => outcome[key]);

RegistryObjectType.implement({
  extensions: pricedObject,
  fields: (t) => ({
    found: t.boolean({
      nullable: true,
      resolve: outcomeField(({ data }) => (data === undefined ? null : data !== null)),
    }),
    problem: t.field({ ...problemField, resolve: outcomeField(problemField.resolve) }),
    rdapEndpoint: t.string({ nullable: true, resolve: member('endpoint') }),
    cached: t.boolean({ resolve: member('cached') }),
    stale: t.boolean({ resolve: member('stale') }),
    checkedAt: t.field({ type: 'DateTime', nullable: true, resolve: member('checkedAt') }),
    freshUntil: t.field({ type: 'DateTime', nullable: true, resolve: member('freshUntil') }),
    latencyMs: t.float({ resolve: member('latencyMs') }),
    evidence: t.field({ type: EvidenceType, nullable: true, resolve: member('evidence') }),
    handle: t.string(objectField('handle')),
    statuses: t.stringList(objectList('statuses')),
    events: t.field({ type: [EventType], ...objectList('events') }),
    entities: t.field({ type: [RelatedEntityType], resolve: entitiesOf }),
    remarks: t.field({ type: [RemarkType], ...objectList('remarks') }),
    links: t.field({ type: [LinkType], ...objectList('links') }),
    redacted: t.field({ type: [RedactionType], ...objectList('redacted') }),
    raw: t.field({ type: 'JSON', ...objectField('raw') }),
  }),
});

async function entitiesOf(
  row: DataRow<RdapObject>,
  _args: object,
  context: Context,
): Promise<EntityReference[]> {
  // The response will be rejected.
  if (context.lookup.objectValues.isExceeded) return [];

  const [data, { endpoint }] = await Promise.all([row.data(), row.outcome()]);
  await context.nextTurn('later');

  return data === null
    ? []
    : entityReferences(counted(data.entities, context), { baseUrl: endpoint, maxAge: row.maxAge });
}

async function holderIn(
  row: DataRow<RdapObject>,
  _args: object,
  context: Context,
): Promise<EntityReference | null> {
  const [data, { endpoint }] = await Promise.all([row.data(), row.outcome()]);
  const holder = holderOf(data?.entities ?? []);
  return holder ? counted({ ...holder, baseUrl: endpoint, maxAge: row.maxAge }, context) : null;
}

const autnumField = fieldOf<Autnum>();

AutnumType.implement({
  interfaces: [RegistryObjectType],
  fields: (t) => ({
    startNumber: t.float(autnumField('startNumber')),
    endNumber: t.float(autnumField('endNumber')),
    name: t.string(autnumField('name')),
    type: t.string(autnumField('type')),
    country: t.string(autnumField('country')),
    holder: t.field({ type: RelatedEntityType, nullable: true, resolve: holderIn }),
  }),
});

const entityField = fieldOf<Entity>();
const entityList = listFieldOf<Entity>();

EntityType.implement({
  interfaces: [RegistryObjectType],
  fields: (t) => ({
    roles: t.stringList(entityList('roles')),
    contact: t.field({ type: ContactType, ...entityField('contact') }),
    publicIds: t.field({ type: [PublicIdType], ...entityList('publicIds') }),
    asEventActor: t.field({ type: [EventType], ...entityList('asEventActor') }),
    networks: t.field({
      type: [IpNetworkType],
      ...listField(({ networks }: Entity, row) =>
        networks.map((network) => embedded(network, row)),
      ),
    }),
    autnums: t.field({
      type: [AutnumType],
      ...listField(({ autnums }: Entity, row) => autnums.map((autnum) => embedded(autnum, row))),
    }),
  }),
});

const networkField = fieldOf<IpNetwork>();
const networkList = listFieldOf<IpNetwork>();

IpNetworkType.implement({
  interfaces: [RegistryObjectType],
  fields: (t) => ({
    startAddress: t.string(networkField('startAddress')),
    endAddress: t.string(networkField('endAddress')),
    cidr: t.stringList(networkList('cidrs')),
    version: t.string(networkField('ipVersion')),
    name: t.string(networkField('name')),
    type: t.string(networkField('type')),
    country: t.string(networkField('country')),
    holder: t.field({ type: RelatedEntityType, nullable: true, resolve: holderIn }),
    originAutnums: t.floatList(networkList('originAutnums')),
    parentHandle: t.string(networkField('parentHandle')),
    geofeed: t.string(networkField('geofeed')),
    parent: t.field({ type: IpNetworkType, nullable: true, resolve: withLookup(parentOf) }),
    reverseZone: t.field({
      type: ReverseZoneType,
      nullable: true,
      resolve: async (row, _args, { lookup }) => {
        const [cidr] = (await row.data())?.cidrs ?? [];
        return cidr === undefined ? null : reverseZoneOf(cidr, row.maxAge, lookup);
      },
    }),
  }),
});

IpAddressType.implement({
  fields: (t) => ({
    ip: t.exposeString('ip'),
    network: t.field({ type: IpNetworkType, nullable: true, resolve: withLookup(networkOf) }),
  }),
});

const nameserverField = fieldOf<NameserverObject>();
const nameserverList = listFieldOf<NameserverObject>();

NameserverObjectType.implement({
  interfaces: [RegistryObjectType],
  fields: (t) => ({
    ldhName: t.string(nameserverField('ldhName')),
    unicodeName: t.string(nameserverField('unicodeName')),
    ipv4: t.stringList(nameserverList('ipv4')),
    ipv6: t.stringList(nameserverList('ipv6')),
    addresses: t.field({
      type: [IpAddressType],
      ...listField(({ ipv4, ipv6 }: NameserverObject, { maxAge }) =>
        addressesOf([ipv4, ipv6], maxAge),
      ),
    }),
  }),
});

const zoneField = fieldOf<ReverseZone>();

ReverseZoneType.implement({
  interfaces: [RegistryObjectType],
  fields: (t) => ({
    name: t.string(zoneField('name')),
    nameservers: t.stringList(listField(({ hosts }: ReverseZone) => hosts.map(({ name }) => name))),
    hosts: t.field({
      type: [NameserverType],
      ...listField(({ hosts }: ReverseZone, { maxAge }) =>
        hosts.map((host) => ({ ...host, maxAge })),
      ),
    }),
    dnssec: t.field({ type: DnssecType, ...zoneField('dnssec') }),
    network: t.field({
      type: IpNetworkType,
      nullable: true,
      resolve: async (row) => {
        const network = (await row.data())?.network;
        return network ? embedded(network, row) : null;
      },
    }),
  }),
});

RelatedEntityType.implement({
  fields: (t) => ({
    handle: t.exposeString('handle', { nullable: true }),
    roles: t.exposeStringList('roles'),
    contact: t.expose('contact', { type: ContactType }),
    publicIds: t.expose('publicIds', { type: [PublicIdType] }),
    entities: t.field({
      type: [RelatedEntityType],
      resolve: (reference, _args, context) =>
        entityReferences(counted(reference.entities, context), reference),
    }),
    entity: t.field({ type: EntityType, nullable: true, resolve: withLookup(entityAt) }),
  }),
});
