// cspell:ignore exts openrdap
import { expect, it } from 'vitest';
import { forThisFile } from '../../support/for-this-file.ts';
import { startGateway } from '../../support/gateways/gateway.ts';

const gateway = await forThisFile(startGateway);

const openrdap = { 'user-agent': 'OpenRDAP', 'accept-encoding': 'gzip' };
const icann = {
  accept:
    'application/rdap+json;exts_list="rdap_level_0 cidr0 redacted", application/rdap+json;q=0.9, application/json;q=0.8',
};
const icannOnly = { accept: 'application/rdap+json;exts_list="rdap_level_0 cidr0 redacted"' };
const versioning = { accept: 'application/rdap+json; extensions="rdap_level_0 jscontact"' };
const rdapper = { accept: 'application/rdap+json, application/json' };
const perl = { accept: 'application/rdap+json', 'accept-language': 'en-GB' };
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

it.each<[string, Record<string, string>, string]>([
  ['/rdap/domain/taken.test', openrdap, 'domain'],
  ['/rdap/domain/TAKEN.TEST', icann, 'domain'],
  ['/rdap/domain/taken.test', icannOnly, 'domain'],
  ['/rdap/domain/taken.test', versioning, 'domain'],
  ['/rdap/domain/taken.test.', rdapper, 'domain'],
  ['/rdap/domain/taken.test/', perl, 'domain'],
  ['/rdap/domain/taken.test', browser, 'domain'],
  ['/rdap/domain/taken%2Etest', {}, 'domain'],
  ['/rdap/domain/taken.test?jscard=1', rdapper, 'domain'],
  ['/rdap/ip/192.0.2.53', openrdap, 'ip network'],
  ['/rdap/ip/192.0.2.0/24', icann, 'ip network'],
  ['/rdap/ip/192.0.2.0%2F24', icann, 'ip network'],
  ['/rdap/ip/192.0.2.0/24/', openrdap, 'ip network'],
  ['/rdap/ip/2001%3Adb8%3A%3A', icann, 'ip network'],
  ['/rdap/ip/2001:DB8:0:0::1', openrdap, 'ip network'],
  ['/rdap/autnum/64497', openrdap, 'autnum'],
  ['/rdap/autnum/AS64497', icann, 'autnum'],
  ['/rdap/autnum/64497/', openrdap, 'autnum'],
  ['/rdap/entity/EXAMPLE-DNS-SANDBOX', openrdap, 'entity'],
  ['/rdap/entity/EXAMPLE-DNS-SANDBOX/', icann, 'entity'],
  ['/rdap/nameserver/NS1.EXAMPLE-DNS.TEST', openrdap, 'nameserver'],
  ['/rdap/domain/2.0.192.in-addr.arpa', openrdap, 'domain'],
  ['/rdap/domain/2.0.192.IN-ADDR.ARPA.', icann, 'domain'],
])('answers %s with %j', async (path, headers, objectClassName) => {
  for (const method of ['GET', 'HEAD']) {
    const response = await gateway.fetch(path, { method, headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/rdap+json');
    if (method === 'GET') expect(await response.json()).toMatchObject({ objectClassName });
  }
});

it.each([
  ['/rdap/help', 200],
  ['/rdap/help/', 200],
  ['/rdap', 400],
  ['/rdap/', 400],
  ['/rdap/domain', 400],
  ['/rdap/domain/', 400],
  ['/rdap/domain//', 400],
  ['/rdap//domain/taken.test', 400],
  ['/rdap/domain/taken.test/extra', 400],
  ['/rdap/DOMAIN/taken.test', 400],
  ['/rdap/domains?name=taken*.test', 501],
  ['/rdap/domains/rirSearch1/rdap-up/2.0.192.in-addr.arpa', 501],
  ['/rdap/ips/rirSearch1/rdap-up/192.0.2.0/24', 501],
  ['/rdap/autnums/rirSearch1/rdap-up/64497', 501],
  ['/rdap/domains/reverse_search/entity?fn=a', 501],
])('answers %s with status %i', async (path, status) => {
  const response = await gateway.fetch(path, { headers: openrdap });
  expect(response.status).toEqual(status);
  expect(response.headers.get('content-type')).toBe('application/rdap+json');
});
