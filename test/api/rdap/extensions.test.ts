import { expect, it } from 'vitest';
import { domainObject } from '../../support/bodies/domain-object.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { status } from '../../support/bodies/replies.ts';

const registry = await forThisFile(startFakeRegistry);
const gateway = await forThisFile(startGateway, { registries: { example: registry.baseUrl } });

it('relays extensions and versioning, and keeps the digits of long integers', async () => {
  const members = {
    rdapConformance: ['rdap_level_0', 'invented_1', 'versioning'],
    invented_1_data: [{ nested: { value: null } }],
    versioning_data: [{ extension: 'invented', version: 'opaque', default: true }],
  };
  const sent = JSON.stringify(domainObject('long.example', { members }));
  const digits = '12345678901234567890';
  const text = sent.replace(/^\{/, `{"invented_1_number":${digits},`);
  registry.on('long.example', status(200, { 'content-type': 'application/rdap+json' }, text));
  const body = await gateway.get('/rdap/domain/long.example');
  expect(body).toMatchObject({ ...members, invented_1_number: digits });
});
