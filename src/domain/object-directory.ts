import type { ObjectRef, ObjectType } from './object-ref.ts';
import type { Problem } from './problems.ts';
import type { Autnum, Entity, IpNetwork, NameserverObject, RelatedEntity } from './rdap-objects.ts';
import type { JsonObject } from './registration.ts';
import type { RdapRecord } from './answer.ts';
import type { CachedSource, ObjectQuery } from './source.ts';

/** The data of each type of object. */
export interface ObjectData {
  readonly ip: IpNetwork;
  readonly autnum: Autnum;
  readonly entity: Entity;
  readonly nameserver: NameserverObject;
}

/** Reads the JSON objects of registries. Never throws. */
export interface ObjectParser {
  parse<T extends ObjectType>(type: T, object: JsonObject): ObjectData[T];
  /** Returns the entities that an object of any type lists. */
  entitiesIn(object: JsonObject): readonly RelatedEntity[];
}

/** A server of objects; null if it does not have the requested one. */
export type ObjectServer = CachedSource<ObjectQuery, RdapRecord | null>;

/** The server of an object, or why there is none: `special_use` or `no_registry`. */
export type ObjectResolution =
  | {
      readonly server: ObjectServer;
      /** The sandbox has it, so that it costs no credits. */
      readonly isFree: boolean;
    }
  | { readonly problem: Problem };

/** Finds the servers of RDAP objects other than domains. */
export interface ObjectDirectory {
  readonly parser: ObjectParser;
  /** Waits until the documents that name the servers are loaded, for at most two seconds. */
  resolve(ref: ObjectRef): Promise<ObjectResolution>;
  /**
   * Returns the base URL of the registry of a TLD or longer suffix, whose handles of entities have no
   * tag, or the problem `no_registry`.
   */
  serverOfTld(tld: string): { readonly baseUrl: string } | { readonly problem: Problem };
}
