import type { Product } from './technology-rule.ts';

/** A name server shows who hosts the DNS records, not the site. */
export const dnsProducts: readonly Product[] = [
  {
    id: 'ovh-dns',
    name: 'OVHcloud DNS',
    rules: [{ nameserver: 'ovh.net' }, { nameserver: 'ovh.ca' }],
  },
  {
    id: 'ionos-dns',
    name: 'IONOS DNS',
    rules: [
      { nameserver: 'ui-dns.com' },
      { nameserver: 'ui-dns.de' },
      { nameserver: 'ui-dns.org' },
      { nameserver: 'ui-dns.biz' },
    ],
  },
  {
    id: 'hetzner-dns',
    name: 'Hetzner DNS',
    rules: [
      { nameserver: 'ns.hetzner.com' },
      { nameserver: 'second-ns.de' },
      { nameserver: 'ns.hetzner.de' },
    ],
  },
  {
    id: 'vercel-dns',
    name: 'Vercel DNS',
    rules: [{ nameserver: 'vercel-dns.com' }],
  },
  {
    id: 'wix-dns',
    name: 'Wix DNS',
    rules: [{ nameserver: 'wixdns.net' }],
  },
  {
    id: 'wordpress-com-dns',
    name: 'WordPress.com DNS',
    rules: [{ nameserver: 'wordpress.com' }],
  },
  {
    id: 'cloudflare-dns',
    name: 'Cloudflare DNS',
    rules: [{ nameserver: 'ns.cloudflare.com' }],
  },
  {
    id: 'godaddy-dns',
    name: 'GoDaddy DNS',
    rules: [{ nameserver: 'domaincontrol.com' }],
  },
  {
    id: 'ns1-dns',
    name: 'NS1 DNS',
    rules: [{ nameserver: 'nsone.net' }],
  },
];
