import { expect, it } from 'vitest';
import { parseSiteSettings } from '../../src/sites/site-settings.ts';

const shop = { http: '127.0.0.1:8080', https: '[::1]:8443', ca: './ca.pem' };

it('sets the servers of sites, and the resolvers', () => {
  const document = {
    sites: { 'Shop.Example': shop, 'bücher.example': { https: '192.0.2.1' } },
    resolvers: ['127.0.0.1:5353', '9.9.9.9'],
  };
  expect(parseSiteSettings(document, true)).toEqual({
    sites: new Map([
      [
        'shop.example',
        {
          http: { host: '127.0.0.1', port: 8080 },
          https: { host: '::1', port: 8443 },
          caFile: './ca.pem',
        },
      ],
      ['xn--bcher-kva.example', { https: { host: '192.0.2.1', port: 443 } }],
    ]),
    resolvers: [
      { host: '127.0.0.1', port: 5353 },
      { host: '9.9.9.9', port: 53 },
    ],
  });
});

it('ignores the sources of suffixes', () => {
  expect(parseSiteSettings({ suffixes: { eu: {} } }, false)).toEqual({
    sites: new Map(),
    resolvers: [],
  });
});

it.each([
  [{ sites: [] }, 'sites must be an object that maps host names to their servers'],
  [{ sites: { 'a.example': '1.1.1.1' } }, 'the site "a.example" must be an object with some of'],
  [{ sites: { 'a.example': { ftp: '1.1.1.1' } } }, 'the site "a.example" must be an object with'],
  [
    { sites: { 'a.example': { http: 'server.example' } } },
    'http of the site "a.example" must be an IP address with an optional port, got "server.example"',
  ],
  [{ sites: { a: { http: '1.1.1.1' } } }, '"a" is not a domain name'],
  [{ resolvers: '9.9.9.9' }, 'resolvers must be a list of IP addresses'],
  [{ resolvers: ['dns.example'] }, 'resolvers must be a list of IP addresses'],
])('rejects %j, with the reason', (document, message) => {
  expect(() => parseSiteSettings(document, true)).toThrow(message);
});

it.each([[{ sites: { 'a.example': { https: '10.0.0.1' } } }], [{ resolvers: ['127.0.0.1:53'] }]])(
  'accepts private addresses with RDAP_ALLOW_PRIVATE only: %j',
  (document) => {
    expect(() => parseSiteSettings(document, false)).toThrow('set RDAP_ALLOW_PRIVATE=true');
    expect(() => parseSiteSettings(document, true)).not.toThrow();
  },
);
