import type { Registration } from '../domain/registration.ts';
import type { RegistrarRecords } from '../domain/directory.ts';
import type { NameQuery, LookupRequest } from '../domain/source.ts';
import { Problem } from '../domain/problems.ts';
import type { DomainRow } from './row.ts';

/** The registrar's record of a name, or the problem of its lookup; both null without a record. */
export interface RegistrarRecord {
  readonly registration: Registration | null;
  readonly problem: Problem | null;
}

/**
 * Looks up the record of a row's name at its registrar, after the registry's record. A failure is a
 * problem, not a rejection. `query`: undefined for a name without a registry.
 */
export async function lookUpRegistrarRecord(
  row: DomainRow,
  query: NameQuery | undefined,
  registrars: RegistrarRecords,
  request: () => LookupRequest,
): Promise<RegistrarRecord> {
  const { registration, endpoint, problem = null } = await row.outcome();
  if (problem || !registration || !query) return { registration: null, problem };

  try {
    const record = await registrars.get(query, { registration, endpoint }, request());
    return { registration: record, problem: null };
  } catch (error) {
    // Anything else is a bug of the gateway.
    if (error instanceof Problem) return { registration: null, problem: error };
    throw error;
  }
}
