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

/** Looks up the registrars' records of the names of one operation, each once. */
export class RegistrarLookups {
  readonly #registrars: RegistrarRecords;
  readonly #records = new Map<string, Promise<RegistrarRecord>>();

  constructor(registrars: RegistrarRecords) {
    this.#registrars = registrars;
  }

  /**
   * Looks up the record of a row's name after the registry's record. A failure is a problem, not a
   * rejection. `query`: undefined for a name without a registry.
   */
  get(
    row: DomainRow,
    query: NameQuery | undefined,
    request: () => LookupRequest,
  ): Promise<RegistrarRecord> {
    const record =
      this.#records.get(row.id) ?? this.#lookUp(row, query, request).then(asRecord, asFailure);
    this.#records.set(row.id, record);
    return record;
  }

  async #lookUp(
    row: DomainRow,
    query: NameQuery | undefined,
    request: () => LookupRequest,
  ): Promise<Registration | null> {
    const { registration, endpoint, problem } = await row.outcome();
    if (problem) throw problem;
    if (!registration || !query) return null;
    return this.#registrars.get(query, { registration, endpoint }, request());
  }
}

function asRecord(registration: Registration | null): RegistrarRecord {
  return { registration, problem: null };
}

/** Rethrows anything but a `Problem`, which is a bug of the gateway. */
function asFailure(error: unknown): RegistrarRecord {
  if (error instanceof Problem) return { registration: null, problem: error };
  throw error;
}
