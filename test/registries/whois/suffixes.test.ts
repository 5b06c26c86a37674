// cspell:ignore ROID kita sina
import { beforeEach, expect, it } from 'vitest';
import {
  startFakeDas as startServer,
  type FakeDasServer,
} from '../../support/servers/fake-das-server.ts';
import { forThisTest } from '../../support/for-this-test.ts';
import { dasReplies } from '../../support/bodies/das-replies.ts';
import { writeBootstrap } from '../../support/servers/fake-bootstrap.ts';
import { startFakeZone } from '../../support/servers/fake-zone.ts';
import { startGateway, type Gateway, type Json } from '../../support/gateways/gateway.ts';
import { jumpingClock, type JumpingClock } from '../../support/time/jumping-clock.ts';

const minute = 60_000;
const notFound = 'No matching record.\n';

/** A server in the format of .cn, whose controls are registered. */
const honest = (name: string) =>
  /^(?:google|cnnic|sina)\./.test(name) ? `Domain Name: ${name}\nROID: 1-cn\n` : notFound;

let clock: JumpingClock;
let whois: FakeDasServer;
let gateway: Gateway;

beforeEach(async () => {
  clock = jumpingClock();
  whois = await forThisTest(startServer, honest);
  const dns = await forThisTest(startFakeZone, (name) =>
    /^(?:google|cnnic|sina)\./.test(name) ? 'delegated' : 'nxdomain',
  );
  const server = `${whois.host}:${whois.port}`;
  const tlds = ['cn', 'jp', 'pk', 'tr', 'za', 'xn--fiqz9s'];
  const sources = await forThisTest(writeBootstrap, {
    suffixes: {
      '': { dns: dns.servers },
      ...Object.fromEntries(tlds.map((tld) => [tld, { rdap: null, whois: server }])),
      ...Object.fromEntries(['be', 'lt'].map((tld) => [tld, { rdap: null, das: server }])),
    },
  });
  const limits = await forThisTest(writeBootstrap, { [server]: { rate: 0 } });
  gateway = await forThisTest(startGateway, {
    clock,
    env: { SOURCES_FILE: sources.path, RDAP_LIMITS: limits.path },
  });
});

const rowOf = async (domain: string): Promise<Json> =>
  (await gateway.get(`/v1/status?domain=${domain}`)).results[0];

it('a suffix without control names does not make the others fail', async () => {
  expect(await rowOf('free.cn')).toMatchObject({ available: true });
  expect(await rowOf('free.net.cn')).toMatchObject({
    available: null,
    detail: expect.stringContaining('knows no registered name under .net.cn'),
  });
  expect(await rowOf('free.cn&max_age=60')).toMatchObject({ available: true, cached: true });
  expect(await (await gateway.fetch('/metrics')).text()).toContain(
    'rdap_gateway_controls_failing 0',
  );
});

it('a suffix without control names never has an available name', async () => {
  expect(await rowOf('free.xn--fiqz9s')).toMatchObject({
    available: null,
    reason: 'untrusted_answer',
  });
  expect(whois.queries).toEqual(['free.xn--fiqz9s\r\n']);
  const { data } = await gateway.graphql(
    `{ without: tlds(search: "xn--fiqz9s") { nodes { label provesAvailable } }
       cn: tlds(search: "cn") { nodes { label provesAvailable } } }`,
  );
  expect(data.without.nodes).toEqual([{ label: 'xn--fiqz9s', provesAvailable: false }]);
  expect(data.cn.nodes).toContainEqual({ label: 'cn', provesAvailable: true });
});

it.each([
  ['net.cn', 'Domain Name: {}\nROID: 1-cn\n', notFound],
  ['ac.jp', 'a. [Domain Name] {}\n[State] Connected (2027/03/31)\n', 'No match!!\n'],
  ['kita.kyoto.jp', '[Domain Name] {}\n[Status] Active\n', 'No match!!\n'],
  ['org.pk', 'Domain: {}\nStatus: Domain is Registered\n', 'Domain not found.\n'],
  ['gov.tr', '** Domain Name: {}\nCreated on..............: 2001-Jan-01.\n', 'No match found\n'],
])('a name under %s may be registered, but is not available without controls', async (...row) => {
  const [suffix, found, absent] = row;
  whois.use((name) =>
    name.startsWith('taken.') ? found.replace('{}', name.replace(/\/e$/, '')) : absent,
  );
  expect(await rowOf(`taken.${suffix}`)).toMatchObject({ status: 'registered' });
  expect(await rowOf(`free.${suffix}`)).toMatchObject({ available: null });
  expect(whois.queries).toHaveLength(2);
});

it.each([
  ['be', 'ac.be', 'not available'],
  ['lt', 'gov.lt', 'registered'],
] as const)('the availability service of .%s has no names under %s', async (tld, suffix, taken) => {
  whois.use((query) => {
    const name = query.replace('get 1.0 ', '');
    const isTaken = /^(?:google|register|domreg)\./.test(name);
    return dasReplies[tld](name, isTaken ? taken : 'available');
  });
  expect(await rowOf(`free.${tld}`)).toMatchObject({ available: true, source: 'das' });
  expect(await rowOf(`free.${suffix}`)).toMatchObject({ available: null, reason: 'not_delegated' });
  expect(await rowOf(`google.${suffix}`)).toMatchObject({ status: 'registered', source: 'dns' });
});

it('names under a suffix do not control names under a shorter one', async () => {
  whois.use((name) =>
    name === 'google.co.za'
      ? `Domain Name: ${name}\nRegistry Domain ID: 1\n`
      : 'Available\nNo information was found matching that query.\n',
  );
  expect(await rowOf('free.co.za')).toMatchObject({ available: true });
  expect(await rowOf('free.za')).toMatchObject({ available: null, reason: 'untrusted_answer' });
});

it('failed controls of a suffix expire those of the other suffixes of the server', async () => {
  expect(await rowOf('free.cn')).toMatchObject({ available: true });
  clock.advance(30 * minute);
  expect(await rowOf('free.com.cn')).toMatchObject({ available: true });
  clock.advance(31 * minute);
  whois.use(() => notFound);
  expect(await rowOf('other.cn')).toMatchObject({ available: null, reason: 'untrusted_answer' });
  // The controls of com.cn passed 31 minutes ago.
  expect(await rowOf('other.com.cn')).toMatchObject({
    available: null,
    reason: 'untrusted_answer',
  });
});

it('failed controls of a suffix invalidate stored answers of the other suffixes', async () => {
  await rowOf('free.cn');
  clock.advance(30 * minute);
  await rowOf('free.com.cn');
  clock.advance(31 * minute);
  whois.use(() => notFound);
  await rowOf('other.cn');
  whois.use(honest);
  clock.advance(minute);
  expect(await rowOf('other.com.cn')).toMatchObject({ available: true });
  const queries = whois.queries.length;
  expect(await rowOf('free.com.cn&max_age=86400')).toMatchObject({
    available: true,
    cached: false,
  });
  expect(whois.queries).toHaveLength(queries + 1);
});
