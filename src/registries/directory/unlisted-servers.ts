/**
 * RDAP servers that IANA's bootstrap document does not list, by TLD. A 200 is trusted. A 404 counts
 * only while the server finds a canary of the same TLD, and if the DNS confirms it:
 * some of these servers may be unofficial, out of date or incomplete, and a shared host returns 404
 * for every TLD that it does not serve. Compiled in November 2026 from public lists of servers.
 *
 * `rdap.nic.io` and `rdap.nic.co` are excluded, because they return 404 for registered names.
 * Excluded too are hosts such as `rdap.jprs.jp` and `rdap.eu`, which only one list of generated
 * names contains.
 */
export const unlistedServers: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'https://rdap.identitydigital.services/rdap/':
      'ac ag bz gi io lc me mn pr sc sh vc wolterskluwer',
    'https://rdap.centralnic.com/gl/': 'gl',
    'https://rdap.denic.de/': 'de', // a pilot without a service level
    'https://rdap.gmoregistry.net/rdap/': 'goo',
    'https://rdap.mynic.my/rdap/': 'my',
    'https://rdap.nic.ae/': 'ae',
    'https://rdap.nic.af/': 'af',
    'https://rdap.nic.ch/': 'ch',
    'https://rdap.nic.ga/': 'ga',
    'https://rdap.nic.ki/': 'ki',
    'https://rdap.nic.kn/': 'kn',
    'https://rdap.nic.li/': 'li',
    'https://rdap.nic.mr/': 'mr',
    'https://rdap.nic.mz/': 'mz',
    'https://rdap.nic.sb/': 'sb',
    'https://rdap.nic.so/': 'so',
    'https://rdap.nic.td/': 'td',
    'https://rdap.nic.tl/': 'tl',
    'https://rdap.nic.us/': 'us',
    'https://rdap.nic.ve/rdap/': 've',
    'https://rdap.registry.co/co/': 'co', // the lists differ
    'https://rdap.website.ws/': 'ws',
  }).flatMap(([baseUrl, tlds]) => tlds.split(' ').map((tld) => [tld, baseUrl] as const)),
);
