import { expect, it } from 'vitest';
import { isSameName, parseDomainName } from '../../../src/domain/names/domain-name.ts';
import { asObject, readJson } from '../../../src/registries/rdap/json.ts';
import {
  parseRegistrarRecord,
  parseRegistration,
} from '../../../src/registries/rdap/registration.ts';
import { registryBodies } from '../../support/bodies/registry-bodies.ts';

it.each(registryBodies)('a response with $oddity is parsed', (row) => {
  const object = asObject(readJson(Buffer.from(JSON.stringify(row.body)))) ?? {};
  const errors: unknown[] = [];
  const parse = row.isFromRegistrar ? parseRegistrarRecord : parseRegistration;
  const record = parse(object, (error) => errors.push(error));
  expect(errors).toEqual([]);
  expect(isSameName(record.ldhName ?? '', parseDomainName(row.domain))).toBe(true);
  expect(record).toMatchObject(row.record);
});
