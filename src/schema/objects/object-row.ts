import type { ObjectData } from '../../domain/directory.ts';
import { addressBlockOf } from '../../domain/names/ip-address.ts';
import {
  enclosingRefOf,
  parseEntityRef,
  parseIpRef,
  parseNameserverRef,
  parseReverseZoneRef,
  type ObjectType,
} from '../../domain/object-ref.ts';
import { Problem, resultOrProblem } from '../../domain/problems.ts';
import type {
  Autnum,
  Entity,
  IpNetwork,
  Link,
  NameserverObject,
  PublicId,
  RdapObject,
  RelatedEntity,
  Remark,
  ReverseZone,
} from '../../domain/rdap-objects.ts';
import type { Context } from '../../execution/context.ts';
import type { Lookup } from '../../lookup/lookup.ts';
import type { ObjectOutcome, ObjectRow } from '../../lookup/object-lookups.ts';
import { builder, objectType, nullableStrings } from '../builder.ts';

/** An object of the schema: one that is looked up, or a part of another one. */
export interface DataRow<T> {
  readonly outcome: () => ObjectOutcome | Promise<ObjectOutcome>;
  /** Returns the data; null unless the object was found. */
  readonly data: () => T | null | Promise<T | null>;
  /** The maximum age of what is looked up from here, in seconds. */
  readonly maxAge: number | undefined;
}

/** An entity as another object lists it, and the server that sent that object. */
export interface EntityReference extends RelatedEntity {
  /** Base URL; null if the object is not from an RDAP server. */
  readonly baseUrl: string | null;
  readonly maxAge: number | undefined;
}

/** An address whose network can be looked up. */
export interface Address {
  readonly ip: string;
  readonly maxAge: number | undefined;
  /** Why its network is not looked up. */
  readonly problem?: Problem;
}

// Declared before their fields, because the types refer to each other.
export const RegistryObjectType = builder.interfaceRef<DataRow<RdapObject>>('RegistryObject');
export const IpNetworkType = builder.objectRef<DataRow<IpNetwork>>('IpNetwork');
export const AutnumType = builder.objectRef<DataRow<Autnum>>('Autnum');
export const EntityType = builder.objectRef<DataRow<Entity>>('Entity');
export const NameserverObjectType =
  builder.objectRef<DataRow<NameserverObject>>('NameserverObject');
export const ReverseZoneType = builder.objectRef<DataRow<ReverseZone>>('ReverseZone');
export const RelatedEntityType = builder.objectRef<EntityReference>('RelatedEntity');
export const IpAddressType = builder.objectRef<Address>('IpAddress');

export const RemarkType = objectType<Remark>('Remark', (t) => ({
  ...nullableStrings(t, 'title', 'type'),
  description: t.exposeStringList('description'),
}));

export const LinkType = objectType<Link>('Link', (t) => ({
  rel: t.exposeString('rel', { nullable: true }),
  href: t.exposeString('href'),
  type: t.exposeString('type', { nullable: true }),
}));

export const PublicIdType = objectType<PublicId>('PublicId', (t) => ({
  type: t.exposeString('type'),
  identifier: t.exposeString('identifier'),
}));

/** Returns the row of an object that is looked up when one of its fields is selected. */
export function lookedUp<T extends ObjectType>({
  outcome,
  maxAge,
}: ObjectRow<T>): DataRow<ObjectData[T]> {
  return { outcome, maxAge, data: () => afterwards(outcome(), ({ data }) => data?.read() ?? null) };
}

/** Returns the row of an object that another one contains. */
export function embedded<T>(
  data: T,
  { outcome, maxAge }: Omit<DataRow<unknown>, 'data'>,
): DataRow<T> {
  return { outcome, maxAge, data: () => data };
}

/**
 * Returns a function that returns the options of a field: one that has the member `key` of an object,
 * and is null unless the object was found.
 */
export function fieldOf<T>() {
  return <K extends keyof T>(key: K) => {
    const resolve = (row: DataRow<T>, _args: object, context: Context) =>
      afterwards(row.data(), (data) => counted(data?.[key] ?? null, context));
    return { nullable: true, resolve } as const;
  };
}

/** Like `fieldOf` for a list, which is empty unless the object was found. */
export function listFieldOf<T>() {
  return <K extends keyof T>(key: K) => listField((data: T) => data[key]);
}

/** Returns the options of a field with a list that `read` derives from an object. */
export function listField<T, R>(read: (data: T, row: DataRow<T>) => R) {
  const resolve = (row: DataRow<T>, _args: object, context: Context) =>
    afterwards(row.data(), (data) => (data === null ? [] : counted(read(data, row), context)));
  return { resolve };
}

/** Returns a resolver that reads the outcome of a lookup. */
export const outcomeField =
  <R>(read: (outcome: ObjectOutcome) => R) =>
  (row: DataRow<unknown>, _args: object, context: Context) =>
    afterwards(row.outcome(), (outcome) => counted(read(outcome), context));

/**
 * Counts a value of an object, and returns it. If there are too many, the response will be rejected,
 * so a list is replaced by an empty one; errors of all fields would take far longer.
 */
export function counted<T>(value: T, { lookup }: Context): T {
  const isWithinLimit = lookup.objectValues.spend(value);
  return isWithinLimit || !Array.isArray(value) ? value : ([] as unknown[] as T);
}

function afterwards<T, R>(value: T | Promise<T>, read: (value: T) => R): R | Promise<R> {
  return value instanceof Promise ? value.then(read) : read(value);
}

/**
 * Returns the row of an entity that an object lists, whose server sent the object; null without a
 * handle or a server. A regional registry may have redirected to the one that the handle names.
 */
export function entityAt(
  { handle, baseUrl, maxAge }: Pick<EntityReference, 'handle' | 'baseUrl' | 'maxAge'>,
  lookup: Lookup,
): DataRow<Entity> | null {
  if (handle === undefined || baseUrl === null) return null;
  const server = regionalTag.test(handle) ? undefined : baseUrl;
  const ref = resultOrProblem(() => parseEntityRef(handle, server));
  return ref instanceof Problem ? null : lookedUp(lookup.objects.row(ref, maxAge));
}

/** The tags of the regional registries (RFC 8521). */
const regionalTag = /-(?:AFRINIC|AP|ARIN|LACNIC|RIPE)$/i;

/** Returns the row of the network of an address; null if a registry sent an invalid one. */
export function networkOf(
  { ip, maxAge, problem }: Address,
  lookup: Lookup,
): DataRow<IpNetwork> | null {
  if (problem) return lookedUp(lookup.objects.failedRow('ip', problem));
  const ref = resultOrProblem(() => parseIpRef(ip));
  return ref instanceof Problem ? null : lookedUp(lookup.objects.networkRow(ref, maxAge));
}

/**
 * Returns the row of the reverse zone of an address, a network or a name; null if its registry has
 * none.
 */
export async function reverseZoneOf(
  text: string,
  maxAge: number | undefined,
  lookup: Lookup,
): Promise<DataRow<ReverseZone> | null> {
  const row = lookup.objects.row<'reverse_zone'>(parseReverseZoneRef(text), maxAge);
  const { data } = await row.outcome();
  return data === null ? null : lookedUp(row);
}

/**
 * Returns the row of the network around another one, to which a link of its registry leads (RFC 9083
 * section 4.2, RFC 9910 section 3), or that a registry with searches finds; null if there is none.
 */
export async function parentOf(
  row: DataRow<IpNetwork>,
  lookup: Lookup,
): Promise<DataRow<IpNetwork> | null> {
  const [network, { endpoint }] = await Promise.all([row.data(), row.outcome()]);
  const targets = network ? upLinksOf(network, endpoint) : [];
  const [ref] = targets.flatMap((href) => enclosingRefOf(href, network?.cidrs ?? []) ?? []);
  if (!ref) return null;

  const parent = lookup.objects.row<'ip'>(ref, row.maxAge);
  const isAbsent = ref.search !== undefined && (await parent.outcome()).data === null;
  return isAbsent ? null : lookedUp(parent);
}

function upLinksOf({ links, cidrs, raw }: IpNetwork, endpoint: string | null): readonly string[] {
  const ups = links.filter(({ rel }) => /^(?:rdap-)?up$/.test(rel ?? ''));
  if (ups.length > 0)
    return ups.flatMap(({ href, type }) => (rdapType.test(type ?? '') ? href : []));

  const hasSearch = [raw?.['rdapConformance']].flat().includes('rirSearch1');
  // A search takes one block.
  return hasSearch && endpoint !== null && cidrs.length === 1
    ? [`${endpoint}ips/rirSearch1/rdap-up/${cidrs[0]}`]
    : [];
}

/** Media types are case-insensitive and may have parameters (RFC 9110 section 8.3.1). */
const rdapType = /^application\/rdap\+json\s*(?:;|$)/i;

/** The holder of a name decides how many addresses it has, and each network has a price. */
export const maxAddresses = 10;

/**
 * Returns the addresses of a name. The networks of ten are looked up: of each family in turn, and of
 * each /24 or /48 one address before the others.
 */
export function addressesOf(families: readonly (readonly string[])[], maxAge?: number): Address[] {
  const turns = families.flatMap((ips) =>
    Array.from(Map.groupBy(ips, addressBlockOf).values())
      .flatMap((block) => block.map((ip, turn) => ({ ip, turn })))
      .toSorted((a, b) => a.turn - b.turn)
      .map(({ ip }, turn) => ({ ip, turn })),
  );
  const first = turns.toSorted((a, b) => a.turn - b.turn).slice(0, maxAddresses);
  const lookedUpIps = new Set(first.map(({ ip }) => ip));
  const problem = new Problem(
    'too_many_addresses',
    `The networks of at most ${maxAddresses} addresses of a name are looked up. Look up the others by themselves.`,
  );

  return families.flat().map((ip) => ({ ip, maxAge, ...(!lookedUpIps.has(ip) && { problem }) }));
}

/** Returns the row of the registry's own object of a nameserver; null if its name is invalid. */
export function nameserverObjectOf(
  { name, maxAge }: { readonly name: string; readonly maxAge: number | undefined },
  lookup: Lookup,
): DataRow<NameserverObject> | null {
  const ref = resultOrProblem(() => parseNameserverRef(name));
  return ref instanceof Problem ? null : lookedUp(lookup.objects.row(ref, maxAge));
}

/** Returns entities with the server at which they can be looked up. */
export function entityReferences(
  entities: readonly RelatedEntity[],
  { baseUrl, maxAge }: Pick<EntityReference, 'baseUrl' | 'maxAge'>,
): EntityReference[] {
  return entities.map((entity) => ({ ...entity, baseUrl, maxAge }));
}
