import type { Registration } from './registration.ts';
import type { NameQuery, LookupRequest } from './source.ts';

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

/** The registry's record of a name. */
interface RegistryRecord {
  readonly registration: () => Registration;
  /** Base URL of the registry. */
  readonly endpoint: string | null;
}
