import { expect, it } from 'vitest';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { startGateway } from '../../support/gateways/gateway.ts';

it('an operation with far too many list entries is rejected before they are read', async () => {
  await using registry = await startFakeRegistry();
  await using gateway = await startGateway({ registries: { example: registry.baseUrl } });
  const fields = Array.from(
    { length: 50 },
    (_, index) => `f${index}: domains(domains: $d) { id }`,
  ).join(' ');
  const domains = Array.from({ length: 100 }, (_, index) => `bücher-${index}.example`);
  const { data, errors } = await gateway.graphql(`query($d: [String!]) { ${fields} }`, {
    d: domains,
  });
  expect([data, errors[0].extensions.code]).toEqual([undefined, 'too_many_lookups']);
});
