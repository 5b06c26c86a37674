import type { NameData, RdapRecord, StoredAnswer } from '../../domain/answer.ts';
import { emptyRegistration } from '../rdap/registration.ts';

/** How the data of a lookup is stored. */
export interface StoredForm<T> {
  toStored(data: T): NameData;
  fromStored(stored: StoredAnswer): T;
}

export const nameForm: StoredForm<NameData> = {
  toStored: (data) => data,
  fromStored: ({ verdict, registration, characters }) => ({
    verdict,
    ...(registration && { registration }),
    ...(characters !== undefined && { characters }),
  }),
};

/**
 * Stores a record like a registered name, and its absence like an available one, as all releases
 * do. So it is fresh for as long.
 */
export const recordForm: StoredForm<RdapRecord | null> = {
  toStored: (record) =>
    record
      ? {
          verdict: 'REGISTERED',
          registration: () => emptyRegistration(record.json),
          characters: record.characters,
        }
      : { verdict: 'AVAILABLE' },
  fromStored: ({ verdict, registration, characters = 0 }) =>
    verdict === 'AVAILABLE' ? null : { json: registration?.().raw, characters },
};
