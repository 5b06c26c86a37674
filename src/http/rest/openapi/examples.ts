import type { Json, JsonObject } from '../../../domain/registration.ts';
import { csvOf } from '../../../shared/csv.ts';

const summarized = (summary: string, value: Json): JsonObject => ({ summary, value });

const queried = {
  source: 'rdap',
  rdap_endpoint: 'https://rdap.example/',
  cached: false,
  stale: false,
  checked_at: '2026-11-01T12:00:00.000Z',
  latency_ms: 21,
};

const network = {
  handle: 'NET-192-0-2-0-26-SANDBOX',
  statuses: ['active'],
  events: [{ action: 'registration', date: '2010-01-06T00:00:00.000Z', actor: null }],
  remarks: [],
  links: [],
  redacted: [],
  start_address: '192.0.2.0',
  end_address: '192.0.2.63',
  cidr: ['192.0.2.0/26'],
  version: 'v4',
  name: 'EXAMPLE-DNS-1',
  type: 'ASSIGNED',
  country: 'GB',
  parent_handle: 'NET-192-0-2-0-24-SANDBOX',
  origin_autnums: [],
  entities: [],
};

const registered = {
  domain: 'taken.test',
  tld: 'test',
  available: false,
  status: 'registered',
  confidence: 'authoritative',
  ...queried,
};

const available = {
  ...registered,
  domain: 'free.test',
  available: true,
  status: 'available',
  latency_ms: 19,
};

const notQueried = {
  available: null,
  confidence: null,
  source: null,
  rdap_endpoint: null,
  cached: false,
  stale: false,
  checked_at: null,
  latency_ms: 0,
};
const unqueried = (domain: string, tld: string, status: string) => ({
  domain,
  tld,
  ...notQueried,
  status,
});
const unsupported = {
  ...unqueried('taken.zz', 'zz', 'unsupported_tld'),
  reason: 'unsupported_tld',
  detail: '.zz is not a TLD, or the operator of this gateway has disabled its sources.',
};
const invalid = {
  ...unqueried('not a name', '', 'invalid'),
  reason: 'invalid_name',
  detail:
    '"not a name" is not a domain name such as example.com. A label may contain up to 63 letters, digits and hyphens, and can\'t start or end with a hyphen.',
};
const unknown = {
  ...registered,
  domain: 'down.test',
  available: null,
  confidence: null,
  status: 'unknown',
  checked_at: null,
  reason: 'registry_error',
  detail: 'The registry returned status 500.',
};

const totals = {
  total: 3,
  available: 1,
  registered: 1,
  unknown: 0,
  invalid: 1,
  total_checked: 3,
  available_count: 1,
  duration_ms: 25,
};
const registrant = {
  roles: ['registrant'],
  handle: 'SBX-R-1',
  kind: 'individual',
  name: 'Ada Sample',
  organization: 'Sample Looms Ltd',
  email: null,
  phone: null,
  fax: null,
  url: null,
  address: {
    street: [],
    city: 'Testbury',
    region: null,
    postal_code: 'TE1 1ST',
    country: null,
    country_code: 'GB',
  },
};

const registration = {
  handle: '1JAK3U6-SANDBOX',
  registrar: {
    name: 'Sandbox Registrar Ltd',
    iana_id: '9999',
    url: 'https://registrar.example/',
    abuse_email: 'abuse@registrar.example',
    abuse_phone: '+1.2025550199',
  },
  registrant,
  contacts: [registrant],
  created_at: '2012-07-27T06:54:34.000Z',
  updated_at: '2026-05-18T06:54:34.000Z',
  expires_at: '2027-07-27T06:54:34.000Z',
  statuses: ['client delete prohibited', 'client transfer prohibited'],
  hosts: [{ name: 'ns1.example-dns.test', ipv4: ['192.0.2.53'], ipv6: ['2001:db8:1::53'] }],
  dnssec: {
    signed: true,
    ds_records: [{ key_tag: 12849, algorithm: 13, digest_type: 2, digest: 'C747D66E' }],
  },
  redacted: [{ name: 'Registrant Email', method: 'removal', reason: 'Server policy' }],
};

const { tld: _registeredTld, ...registeredRecord } = { input: 'taken.test', ...registered };
const { tld: _availableTld, ...availableRecord } = { input: 'free.test', ...available };
const pending = {
  input: 'slow.test',
  ...unqueried('slow.test', 'test', 'pending'),
  latency_ms: 300,
};
const noRecord = { nameservers: [], registration: null, rdap: null };

const bulkResults = [registered, available, invalid].map((row, index) => ({
  index,
  input: row.domain,
  ...row,
}));

const oneLabel = 'One label under two TLDs';
const mixed = 'A registered name, an available one, and an invalid one';

/** The examples of bodies, by path and media type, with data of the built-in sandbox registry. */
export const examples: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  '/v1/status': {
    'application/json': {
      registered: summarized(oneLabel, {
        name: 'taken',
        results: [registered, unsupported],
        cached: false,
        latency_ms: 22,
        meta: { total_checked: 2, available_count: 0, duration_ms: 22 },
      }),
      unknown: summarized('A failed registry lookup', {
        name: 'down',
        results: [{ input: 'down.test', ...unknown }],
        cached: false,
        latency_ms: 30,
        meta: { total_checked: 1, available_count: 0, duration_ms: 30 },
      }),
      pending: summarized('A name that has no answer after 300 ms (`budget_ms=300`)', {
        name: 'slow',
        results: [pending],
        cached: false,
        latency_ms: 301,
        meta: { total_checked: 1, available_count: 0, pending: 1, duration_ms: 301 },
      }),
    },
    'text/csv': { registered: summarized(oneLabel, csvOf([registered, unsupported])) },
  },
  '/v1/rdap': {
    'application/json': {
      registered: summarized('A registered name', {
        ...registeredRecord,
        nameservers: ['ns1.example-dns.test'],
        registration,
        rdap: {
          objectClassName: 'domain',
          ldhName: 'taken.test',
          secureDNS: { delegationSigned: true },
        },
      }),
      available: summarized('An available name', { ...availableRecord, ...noRecord }),
      withoutRecord: summarized('A verdict without a record', {
        ...registeredRecord,
        input: 'taken.dns-only.test',
        domain: 'taken.dns-only.test',
        source: 'dns',
        rdap_endpoint: null,
        ...noRecord,
        problem: {
          code: 'no_rdap',
          detail:
            'The verdict is known, but there is no record: no RDAP server is known for this TLD.',
        },
      }),
      network: summarized('The network of an address', {
        input: '192.0.2.53',
        type: 'ip',
        found: true,
        ...queried,
        object: network,
        rdap: { objectClassName: 'ip network', handle: network.handle },
      }),
      noNetwork: summarized('An address without a network', {
        input: '203.0.113.1',
        type: 'ip',
        found: false,
        ...queried,
        object: null,
        rdap: null,
      }),
    },
  },
  '/v1/status/bulk': {
    request: {
      names: summarized('Full domain names', {
        domains: ['taken.test', 'free.test', 'not a name'],
        max_age: 3600,
      }),
      pairs: summarized('All pairs of labels and TLDs', {
        names: ['taken', 'free'],
        tlds: ['test', 'shop.test'],
      }),
    },
    'application/json': {
      mixed: summarized(mixed, {
        results: bulkResults,
        cached: false,
        latency_ms: 25,
        meta: totals,
      }),
    },
    'text/csv': { mixed: summarized(mixed, csvOf(bulkResults)) },
    'application/x-ndjson': {
      result: summarized('A result', { index: 1, input: 'free.test', ...available }),
      totals: summarized('The last line', { meta: totals }),
    },
  },
  '/v1/tlds': {
    'application/json': {
      tlds: summarized('Two TLDs, one of which has only the DNS', {
        tlds: [
          {
            tld: 'aaa',
            type: 'gtld',
            rdap: true,
            registry_host: 'rdap.nic.aaa',
            sources: [
              { source: 'rdap', endpoint: 'https://rdap.nic.aaa/rdap/' },
              { source: 'dns', endpoint: null },
            ],
            proves_available: true,
          },
          {
            tld: 'al',
            type: 'cctld',
            rdap: false,
            registry_host: null,
            sources: [{ source: 'dns', endpoint: null }],
            proves_available: false,
          },
        ],
        total: 1438,
        limit: 2,
      }),
    },
  },
  '/v1/coverage': {
    'application/json': {
      coverage: summarized('A gateway with four TLDs', {
        gtlds: ['com', 'net'],
        cctlds: ['al', 'fr'],
        total_tlds: 4,
        all_tlds: ['al', 'com', 'fr', 'net'],
        sources: {
          rdap: ['com', 'fr', 'net'],
          das: [],
          whois: [],
          dns: ['al', 'com', 'fr', 'net'],
        },
        without_availability: ['al'],
        rdap_health: [
          { tld: 'fr', endpoint: 'https://rdap.nic.fr/', ok: true, p50_ms: 38, error_rate: 0.02 },
        ],
        bootstrap_source: 'https://data.iana.org/rdap/dns.json',
        bootstrap_last_updated: '2026-11-20T22:00:03.000Z',
      }),
    },
  },
};
