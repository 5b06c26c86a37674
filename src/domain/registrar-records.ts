import type { Registration } from './registration.ts';
import type { LookupQuery, LookupRequest } from './source.ts';

/** The registrars' own records, which may hold contacts that the registries leave out. Never part of a verdict, never merged. */
export interface RegistrarRecords {
  /** What the registrar says of a name that its registry holds; null when it has no server, or does not know the name. Throws a `Problem`. */
  get(
    query: LookupQuery,
    registryRecord: RegistryRecord,
    request: LookupRequest,
  ): Promise<Registration | null>;
}

/** The registry's own record of a name. */
interface RegistryRecord {
  readonly registration: () => Registration;
  /** Base URL of the registry. */
  readonly endpoint: string | null;
}
