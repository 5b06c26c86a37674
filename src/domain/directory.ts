import type { ObjectRef, ObjectType } from './object-ref.ts';
import type { Problem } from './problems.ts';
import type {
  Autnum,
  Entity,
  IpNetwork,
  NameserverObject,
  RelatedEntity,
  ReverseZone,
} from './rdap-objects.ts';
import type { JsonObject, Registration } from './registration.ts';
import type { RdapRecord } from './answer.ts';
import type { CachedSource, ObjectQuery, Registry, NameQuery, LookupRequest } from './source.ts';
import type { SplitName } from './names/domain-name.ts';
import type { Policy } from './policy.ts';

export interface ObjectData {
  readonly ip: IpNetwork;
  readonly autnum: Autnum;
  readonly entity: Entity;
  readonly nameserver: NameserverObject;
  readonly reverse_zone: ReverseZone;
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

/** Finds the registry of a name. */
export interface Directory {
  resolve(name: SplitName): Resolution;
}

/** The registry of a name, or why there is none: `invalid_name` or `unsupported_tld`. */
export type Resolution =
  { readonly registry: Registry; readonly policy: Policy } | { readonly problem: Problem };

/**
 * The registrars' records, which may include contacts that the registries omit. They never affect a
 * verdict and are never merged.
 */
export interface RegistrarRecords {
  /**
   * Returns the registrar's record of a registered name; null if the registrar has no server, or no
   * record of the name. Rejects with a `Problem`.
   */
  get(
    query: NameQuery,
    registryRecord: RegistryRecord,
    request: LookupRequest,
  ): Promise<Registration | null>;
}

interface RegistryRecord {
  readonly registration: () => Registration;
  /** Base URL of the registry. */
  readonly endpoint: string | null;
}
