import type { DomainName } from './domain-name.ts';
import type { Registration } from './registration.ts';
import type { Asker } from './registry.ts';

/** The registrars' own records, which may hold contacts that the registries leave out. Never part of a verdict, never merged. */
export interface RegistrarRecords {
  /** What the registrar says; null when it has no server, or does not know the name. Throws a `Problem` when it fails. */
  get(name: DomainName, registration: Registration, asker: Asker): Promise<Registration | null>;
}
