import { expect, it } from 'vitest';
import { startFakeDas, type DasScript } from '../../support/servers/fake-das-server.ts';
import { writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startGateway } from '../../support/gateways/gateway.ts';

const registered = (name: string) => `** Domain Name: ${name}\nCreated on..............: 2020\n`;
const reset: DasScript = (_query, socket) => void socket.resetAndDestroy();

it.each<[string, string | DasScript]>([
  ['an invalid input', 'Invalid input\n'],
  [
    'an invalid name, with a "not found"',
    '% Error: 501 invalid domain name\nNo match found for x\n',
  ],
  ['an unsupported suffix', 'TLD is not supported.\n'],
  ['a failed query', 'Your request could not be performed\n'],
  ['a reset connection', reset],
  ['no reply', ''],
])('a reply about one name does not stop queries for others: %s', async (_case, reply) => {
  await using whois = await startFakeDas((name, socket) =>
    !name.startsWith('bad')
      ? registered(name)
      : typeof reply === 'string'
        ? reply
        : reply(name, socket),
  );
  const server = `${whois.host}:${whois.port}`;
  await using sources = await writeBootstrap({
    suffixes: { tr: { rdap: null, whois: server, dns: null } },
  });
  await using limits = await writeBootstrap({ [server]: { rate: 0 } });
  await using gateway = await startGateway({
    env: { SOURCES_FILE: sources.path, RDAP_LIMITS: limits.path },
  });
  for (const name of ['bad1.com.tr', 'bad2.com.tr', 'bad3.com.tr']) {
    const [row] = (await gateway.get(`/v1/status?domain=${name}`)).results;
    expect(row).toMatchObject({ available: null });
    expect(row.reason).not.toBe('registry_busy');
  }
  const [row] = (await gateway.get('/v1/status?domain=good.com.tr')).results;
  expect(row).toMatchObject({ available: false, source: 'whois' });
});
