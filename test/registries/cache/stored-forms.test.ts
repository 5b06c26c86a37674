import { expect, it } from 'vitest';
import { recordForm } from '../../../src/registries/cache/store.ts';
import { toAnswer, toRow } from '../../../src/storage/row.ts';

const json = { objectClassName: 'ip network', handle: 'NET-1' };
const facts = { name: 'ip/192.0.2.1', endpoint: 'https://rdap.example/', checkedAt: 1 };

// Databases contain rows like these.
const rowOfNetwork = {
  ...facts,
  verdict: 'REGISTERED' as const,
  expiresAt: null,
  evidence: null,
  summary:
    '{"hosts":[],"statuses":[],"events":[],"dnssec":{"dsRecords":[]},"redacted":[],"contacts":[]}',
  record: '{"contacts":[],"raw":{"objectClassName":"ip network","handle":"NET-1"}}',
};
const rowOfAbsence = {
  ...facts,
  verdict: 'AVAILABLE' as const,
  expiresAt: null,
  evidence: null,
  summary: null,
  record: null,
};

it('an object is stored like a name', () => {
  const record = recordForm.toStored({ json, characters: 50 });
  expect(toRow({ ...facts, ...record, isComplete: true })).toEqual(rowOfNetwork);
  const absence = recordForm.toStored(null);
  expect(toRow({ ...facts, ...absence, isComplete: true })).toEqual(rowOfAbsence);
});

it('a stored object can be read', () => {
  expect(recordForm.fromStored(toAnswer(rowOfNetwork))?.json).toEqual(json);
  expect(recordForm.fromStored(toAnswer(rowOfAbsence))).toBeNull();
  const withoutRecord = recordForm.fromStored(toAnswer({ ...rowOfNetwork, record: null }));
  expect(withoutRecord?.json).toBeUndefined();
});
