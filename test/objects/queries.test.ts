import { describe, expect, it } from 'vitest';
import { startFakeRegistry } from '../support/servers/fake-registry.ts';
import { forThisFile } from '../support/for-this-file.ts';
import { frozenClock } from '../support/time/frozen-clock.ts';
import { startGateway, type Json } from '../support/gateways/gateway.ts';
import { autnum, entity, nameserver, network } from '../support/bodies/registry-objects.ts';
import {
  html,
  json,
  notFound,
  redirect,
  registered,
  status,
  type Reply,
} from '../support/bodies/replies.ts';
import { paused, sequence } from '../support/bodies/scripts.ts';

const clock = frozenClock();
const registry = await forThisFile(startFakeRegistry);
const { baseUrl } = registry;
const gateway = await forThisFile(startGateway, {
  clock,
  registries: { example: baseUrl },
  objects: {
    ipv4: { '8.0.0.0/8': baseUrl },
    ipv6: { '2600::/16': baseUrl },
    asn: { '100-199': baseUrl },
    tags: { EX: baseUrl },
  },
});

const lookup = 'found problem { code } rdapEndpoint cached stale checkedAt handle';
const query = async (field: string): Promise<Json> => {
  const { data, errors } = await gateway.graphql(`{ object: ${field} }`);
  expect(errors).toBeUndefined();
  return data.object;
};
const ip = (address: string, maxAge = '') =>
  query(`ip(address: "${address}"${maxAge && `, maxAge: ${maxAge}`}) { ${lookup} }`);

describe('a lookup', () => {
  it('returns the network of an address', async () => {
    registry.on('ip/8.8.8.8', network('8.8.8.0', '8.8.8.255'));
    const object = await query(`ip(address: " 8.8.8.8 ") {
      ${lookup} startAddress endAddress cidr version name type country parentHandle statuses
      events { action date } entities { handle roles contact { name } } raw
    }`);
    expect(object).toEqual({
      found: true,
      problem: null,
      rdapEndpoint: registry.baseUrl,
      cached: false,
      stale: false,
      checkedAt: new Date(clock.now()).toISOString(),
      handle: 'NET-8.8.8.0',
      startAddress: '8.8.8.0',
      endAddress: '8.8.8.255',
      cidr: ['8.8.8.0/24'],
      version: 'v4',
      name: 'EXAMPLE-NET',
      type: 'ASSIGNED PA',
      country: 'NL',
      parentHandle: 'NET-PARENT',
      statuses: ['active'],
      events: [{ action: 'registration', date: '2001-02-03T04:05:06.000Z' }],
      entities: [
        { handle: 'HOLDER-EX', roles: ['registrant'], contact: { name: 'Example Holder' } },
      ],
      raw: expect.objectContaining({ objectClassName: 'ip network', handle: 'NET-8.8.8.0' }),
    });
  });

  it('returns the network of an IPv6 address in any spelling', async () => {
    registry.on('ip/2600::1', network('2600::', '2600::ffff:ffff:ffff:ffff'));
    expect(
      await query('ip(address: "2600:0:0::0001") { found startAddress cidr version }'),
    ).toEqual({ found: true, startAddress: '2600::', cidr: ['2600::/64'], version: 'v6' });
  });

  it.each(['150', '"AS150"'])('returns the block of an autonomous system: %s', async (number) => {
    registry.on('autnum/150', autnum(150, 159));
    expect(
      await query(`autnum(number: ${number}) { found handle startNumber endNumber name }`),
    ).toEqual({
      found: true,
      handle: 'AS150',
      startNumber: 150,
      endNumber: 159,
      name: 'EXAMPLE-AS',
    });
  });

  it('returns an entity by the tag of its handle, with its networks', async () => {
    const part = {
      objectClassName: 'ip network',
      startAddress: '8.1.0.0',
      endAddress: '8.1.255.255',
    };
    registry.on('entity/ORG-EX', entity('ORG-EX', { networks: [part] }));
    expect(
      await query(
        'entity(handle: "ORG-EX") { found contact { name kind } networks { found cidr } autnums { handle } }',
      ),
    ).toEqual({
      found: true,
      contact: { name: 'Example Holder', kind: 'org' },
      networks: [{ found: true, cidr: ['8.1.0.0/16'] }],
      autnums: [],
    });
  });

  it('returns an entity without a tag at the registry of a TLD', async () => {
    registry.on('entity/292', entity('292'));
    expect(await query('entity(handle: "292", tld: "example") { found handle }')).toEqual({
      found: true,
      handle: '292',
    });
  });

  it('returns an entity at the registry of a TLD, whatever the tag of its handle', async () => {
    await using other = await startFakeRegistry();
    other.on('entity/ORG-EX', entity('ORG-EX'));
    await using gatewayOfTwo = await startGateway({
      registries: { example: other.baseUrl },
      objects: { tags: { EX: registry.baseUrl } },
    });
    const { data } = await gatewayOfTwo.graphql(
      '{ entity(handle: "ORG-EX", tld: "example") { found rdapEndpoint } }',
    );
    expect(data.entity).toEqual({ found: true, rdapEndpoint: other.baseUrl });
  });

  it('returns a nameserver at the registry of its TLD', async () => {
    registry.on('nameserver/ns1.a.example', nameserver('NS1.A.EXAMPLE.', ['8.8.8.8']));
    expect(
      await query('nameserver(name: "ns1.A.example") { found ldhName ipv4 addresses { ip } }'),
    ).toEqual({
      found: true,
      ldhName: 'ns1.a.example',
      ipv4: ['8.8.8.8'],
      addresses: [{ ip: '8.8.8.8' }],
    });
  });

  it('is not sent unless a field needs it', async () => {
    expect(await query('ip(address: "8.9.9.9") { __typename }')).toEqual({
      __typename: 'IpNetwork',
    });
    expect(registry.requestCount('ip/8.9.9.9')).toBe(0);
  });

  it.each([
    ['ip(address: "8.8.8.800")', 'invalid_parameter', 'address'],
    ['autnum(number: 4294967296)', 'invalid_parameter', 'number'],
    ['ip(address: "")', 'missing_parameter', 'address'],
    ['autnum(number: " ")', 'missing_parameter', 'number'],
    ['entity(handle: "")', 'missing_parameter', 'handle'],
    ['reverseZone(name: "")', 'missing_parameter', 'name'],
    ['site(host: "")', 'missing_parameter', 'host'],
    ['nameserver(name: "8.8.8.8")', 'invalid_parameter', 'name'],
    ['ip(address: "8.8.8.8", maxAge: -1)', 'invalid_max_age', 'maxAge'],
  ])('with an invalid argument names it: %s', async (field, code, param) => {
    const { data, errors } = await gateway.graphql(`{ ${field} { __typename } }`);
    expect(Object.values(data)).toEqual([null]);
    expect(errors[0].extensions.code).toEqual(code);
    expect(errors[0].extensions.param).toEqual(param);
  });
});

describe('an object', () => {
  it('is found, not found or unknown', async () => {
    registry.on('ip/8.2.0.1', notFound('No such network.'));
    const { found, problem, handle } = await ip('8.2.0.1');
    expect([found, problem, handle]).toEqual([false, null, null]);
  });

  it.each<readonly [what: string, Reply, code: string]>([
    ['a page instead of an RDAP 404', html(404), 'untrusted_answer'],
    ['a 200 that is not JSON', html(200), 'untrusted_answer'],
    ['an object of another class', registered('a.example'), 'untrusted_answer'],
    ['a network without the address', network('8.99.0.0', '8.99.0.255'), 'untrusted_answer'],
    ['an error in a 200', json(200, { errorCode: 500 }), 'untrusted_answer'],
    ['a rejection', status(403), 'registry_error'],
    ['a failure', status(500), 'registry_error'],
  ])('is unknown after %s', async (what, reply, code) => {
    const address = `8.3.0.${what.length}`;
    registry.on(`ip/${address}`, reply);
    const { found, problem, handle } = await ip(address);
    expect([found, problem, handle]).toEqual([null, { code }, null]);
  });

  it('is found, but never "not found", after a redirect to another host', async () => {
    await using other = await startFakeRegistry();
    registry.on('autnum/160', () => redirect(other.url('autnum/160')));
    registry.on('autnum/161', () => redirect(other.url('autnum/161')));
    other.on('autnum/160', autnum(160));
    await using redirecting = await startGateway({
      objects: { asn: { '100-199': registry.baseUrl, '3000-3999': other.baseUrl } },
    });
    const { data } = await redirecting.graphql(
      '{ a: autnum(number: 160) { found } b: autnum(number: 161) { found problem { code } } }',
    );
    expect(data).toEqual({
      a: { found: true },
      b: { found: null, problem: { code: 'untrusted_answer' } },
    });
  });

  it('is unknown while the registry limits requests', async () => {
    await using busy = await startFakeRegistry();
    busy.fallback(status(429, { 'retry-after': '60' }));
    await using other = await startGateway({ objects: { asn: { '100-199': busy.baseUrl } } });
    const { data } = await other.graphql(
      '{ autnum(number: 100) { found problem { code retryAfter } } }',
    );
    expect(data.autnum).toEqual({
      found: null,
      problem: { code: 'registry_busy', retryAfter: 60 },
    });
  });

  it.each([
    ['10.0.0.1', 'special_use'],
    ['fe80::1', 'special_use'],
    ['240.0.0.1', 'special_use'],
  ])('that is reserved is not looked up: %s', async (address, code) => {
    const { found, problem, rdapEndpoint } = await ip(address);
    expect([found, problem, rdapEndpoint]).toEqual([null, { code }, null]);
  });

  it('with a special-use name is not looked up at the registry of all names', async () => {
    await using other = await startGateway({ registries: { '': registry.baseUrl } });
    const { data } = await other.graphql(
      '{ nameserver(name: "ns1.printer.local") { found problem { code detail } rdapEndpoint } }',
    );
    expect(data.nameserver).toEqual({
      found: null,
      problem: { code: 'special_use', detail: expect.stringContaining('RFC 6762') },
      rdapEndpoint: null,
    });
    expect(registry.requestCount('nameserver/ns1.printer.local')).toBe(0);
  });

  it.each(['handle: "NO-TAG-OF-A-REGISTRY"', 'handle: "292", tld: "no-such-tld"'])(
    'for which no server is responsible is not looked up: %s',
    async (args) => {
      const { found, problem } = await query(`entity(${args}) { found problem { code } }`);
      expect([found, problem]).toEqual([null, { code: 'no_registry' }]);
    },
  );
});

describe('an answer', () => {
  it('is cached for a day, and returned while it is younger than maxAge', async () => {
    registry.on('ip/8.4.0.1', network('8.4.0.0', '8.4.0.255'));
    const answers = [await ip('8.4.0.1'), await ip('8.4.0.1'), await ip('8.4.0.1', '0')];
    clock.advance(24 * 60 * 60 * 1000 + 1);
    answers.push(await ip('8.4.0.1'));
    expect(answers.map(({ found, cached }) => [found, cached])).toEqual([
      [true, false],
      [true, true],
      [true, false],
      [true, false],
    ]);
    expect(registry.requestCount('ip/8.4.0.1')).toBe(3);
  });

  it('"not found" is cached for five minutes', async () => {
    registry.on('ip/8.4.0.2', notFound('No such network.'));
    await ip('8.4.0.2');
    clock.advance(5 * 60 * 1000);
    expect((await ip('8.4.0.2')).cached).toBe(true);
    clock.advance(1);
    expect((await ip('8.4.0.2')).cached).toBe(false);
  });

  it('is returned as stale if the registry fails', async () => {
    registry.on('ip/8.4.0.3', sequence([network('8.4.0.0', '8.4.0.255'), status(403)]));
    await ip('8.4.0.3');
    clock.advance(25 * 60 * 60 * 1000);
    const { found, stale } = await ip('8.4.0.3');
    expect([found, stale]).toEqual([true, true]);
  });

  it('is shared by concurrent callers', async () => {
    const slow = paused(network('8.4.0.0', '8.4.0.255'));
    registry.on('ip/8.4.0.4', slow);
    const answers = Promise.all([ip('8.4.0.4'), ip('8.4.0.4'), ip('8.4.0.4')]);
    await registry.whenRequested('ip/8.4.0.4');
    slow.release();
    expect((await answers).map(({ found }) => found)).toEqual([true, true, true]);
    expect(registry.requestCount('ip/8.4.0.4')).toBe(1);
  });
});
