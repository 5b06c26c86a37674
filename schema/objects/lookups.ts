import {
  parseEntityRef,
  parseIpRef,
  parseNameserverRef,
} from '../../src/domain/parse-object-ref.ts';
import { Problem } from '../../src/domain/problems.ts';
import type {
  Entity,
  IpNetwork,
  NameserverObject,
  RelatedEntity,
} from '../../src/domain/rdap-objects.ts';
import type { Lookup } from '../../src/lookup/lookup.ts';
import { lookedUp, type DataRow } from './object-row.ts';
import type { Address, EntityReference } from './types.ts';

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
  const ref = unlessInvalid(() => parseEntityRef(handle, server));
  return ref ? lookedUp(lookup.objects.row(ref, maxAge)) : null;
}

/** The tags of the regional registries (RFC 8521). */
const regionalTag = /-(?:AFRINIC|AP|ARIN|LACNIC|RIPE)$/i;

/** Returns the row of the network of an address; null if a registry sent an invalid one. */
export function networkOf({ ip, maxAge }: Address, lookup: Lookup): DataRow<IpNetwork> | null {
  const ref = unlessInvalid(() => parseIpRef(ip));
  return ref ? lookedUp(lookup.objects.networkRow(ref, maxAge)) : null;
}

/** Returns the row of the registry's own object of a nameserver; null if its name is invalid. */
export function nameserverObjectOf(
  { name, maxAge }: { readonly name: string; readonly maxAge: number | undefined },
  lookup: Lookup,
): DataRow<NameserverObject> | null {
  const ref = unlessInvalid(() => parseNameserverRef(name));
  return ref ? lookedUp(lookup.objects.row(ref, maxAge)) : null;
}

/** Returns entities with the server at which they can be looked up. */
export function entityReferences(
  entities: readonly RelatedEntity[],
  { baseUrl, maxAge }: Pick<EntityReference, 'baseUrl' | 'maxAge'>,
): EntityReference[] {
  return entities.map((entity) => ({ ...entity, baseUrl, maxAge }));
}

function unlessInvalid<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
