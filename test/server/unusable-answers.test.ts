import { expect, it } from 'vitest';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { startGateway } from '../support/gateways/gateway.ts';
import { memoryLog } from '../support/checks/memory-log.ts';
import { status } from '../support/bodies/replies.ts';

it.each(['/v1/rdap?domain=html.example', '/rdap/domain/html.example'])(
  'logs the name, the host and the detail of an unusable answer: %s',
  async (path) => {
    const { log, lines } = memoryLog();
    await using registry = await startFakeRegistry();
    registry.on('html.example', status(403));
    await using gateway = await startGateway({ log, registries: { example: registry.baseUrl } });
    const response = await gateway.fetch(path);
    expect(response.status).toBe(502);
    const requestId = response.headers.get('x-request-id');
    expect(lines.filter((line) => line['requestId'] === requestId)).toEqual([
      expect.objectContaining({
        level: 'info',
        name: 'html.example',
        host: new URL(registry.baseUrl).host,
        code: 'registry_error',
        detail: 'The registry rejected the query with status 403.',
        msg: 'No usable answer from the registry.',
      }),
    ]);
  },
);

it('logs neither the name nor the detail of a request at fault', async () => {
  const { log, lines } = memoryLog();
  await using gateway = await startGateway({ log });
  await gateway.fetch('/v1/rdap?domain=hidden_name.example');
  expect(lines.filter(({ msg }) => msg === 'Request rejected.')).toMatchObject([
    { code: 'invalid_name', route: '/v1/rdap' },
  ]);
  expect(JSON.stringify(lines)).not.toContain('hidden');
});
