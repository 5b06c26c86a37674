import { expect, it } from 'vitest';
import { writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import type { DnsAnswerOf } from '../../support/servers/fake-dns-server.ts';
import { startFakeRegistry } from '../../support/servers/fake-registry.ts';
import { startFakeZone } from '../../support/servers/fake-zone.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { dnsFaults } from '../../support/bodies/dns-faults.ts';
import { registered } from '../../support/bodies/replies.ts';

it.each(['refused', 'servfail'] as const)(
  'a delegated name is not AVAILABLE after the name servers replied %s for many others',
  async (reply) => {
    const answerOf: DnsAnswerOf = (name) => {
      if (/^n\d/.test(name)) return reply;
      return /^(?:google|nic|held)\./.test(name) ? 'delegated' : 'nxdomain';
    };
    await using zone = await startFakeZone(answerOf);
    await using file = await writeBootstrap({
      suffixes: { '': { dns: zone.servers, whois: null } },
    });
    await using registry = await startFakeRegistry();
    registry.on(/^(?:nic|google)\./, ({ name }) => registered(name));
    await using gateway = await startGateway({
      registries: { aa: [registry.baseUrl] },
      env: { SOURCES_FILE: file.path, RATE_LIMIT: '0' },
    });
    const lookUp = async (name: string) =>
      (await gateway.get(`/v1/status?domain=${name}`)).results[0];
    for (let index = 0; index < 15; index += 1) await lookUp(`n${index}.aa`);
    expect(await lookUp('held.aa')).toMatchObject({ status: 'unknown', reason: 'contradicted' });
  },
);

it.each(['a referral with AA', 'NS in an answer that is not authoritative'] as const)(
  'a name that the registry does not find is not AVAILABLE after %s',
  async (fault) => {
    await using zone = await startFakeZone((name) => {
      if (name === 'held.aa') return dnsFaults[fault].answer;
      return name.startsWith('google.') ? 'delegated' : 'nxdomain';
    });
    await using file = await writeBootstrap({
      suffixes: { '': { dns: zone.servers, whois: null } },
    });
    await using registry = await startFakeRegistry();
    await using gateway = await startGateway({
      registries: { aa: registry.baseUrl },
      env: { SOURCES_FILE: file.path },
    });
    const rowOf = async (name: string) =>
      (await gateway.get(`/v1/status?domain=${name}`)).results[0];
    expect(await rowOf('held.aa')).toMatchObject({ status: 'unknown', reason: 'contradicted' });
    expect(await rowOf('free.aa')).toMatchObject({ available: true });
  },
);
