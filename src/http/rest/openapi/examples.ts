import { csvOf } from '../../../shared/csv.ts';
import type { JsonObject } from '../../../domain/registration.ts';

const queried = {
  source: 'rdap',
  rdap_endpoint: 'https://rdap.example/',
  cached: false,
  stale: false,
};

const queriedObject = {
  ...queried,
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
  checked_at: '2026-11-01T12:00:00.000Z',
  latency_ms: 21,
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
const unsupported = {
  domain: 'taken.zz',
  tld: 'zz',
  ...notQueried,
  status: 'unsupported_tld',
  reason: 'unsupported_tld',
  detail: '.zz is not a TLD, or the operator of this gateway has disabled its sources.',
};
const invalid = {
  domain: 'not a name',
  tld: '',
  ...notQueried,
  status: 'invalid',
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
const contact = {
  kind: 'individual',
  name: 'Ada Sample',
  organization: 'Sample Looms Ltd',
  email: null,
  phone: null,
  fax: null,
  url: null,
};
const address = {
  street: [],
  city: 'Testbury',
  region: null,
  postal_code: 'TE1 1ST',
  country: null,
  country_code: 'GB',
};
const registrant = { roles: ['registrant'], handle: 'SBX-R-1', ...contact, address };

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
  domain: 'slow.test',
  tld: 'test',
  ...notQueried,
  status: 'pending',
  latency_ms: 300,
};

const bulkResults = [registered, available, invalid].map((row, index) => ({
  index,
  input: row.domain,
  ...row,
}));

/** Example bodies, by name, with data of the built-in sandbox registry. */
export const examples = {
  status: {
    registered: {
      summary: 'One label under two TLDs',
      value: {
        name: 'taken',
        results: [registered, unsupported],
        cached: false,
        latency_ms: 22,
        meta: { total_checked: 2, available_count: 0, duration_ms: 22 },
      },
    },
    unknown: {
      summary: 'A failed registry lookup',
      value: {
        name: 'down',
        results: [{ input: 'down.test', ...unknown }],
        cached: false,
        latency_ms: 30,
        meta: { total_checked: 1, available_count: 0, duration_ms: 30 },
      },
    },
    pending: {
      summary: 'A name that has no answer after 300 ms (`budget_ms=300`)',
      value: {
        name: 'slow',
        results: [pending],
        cached: false,
        latency_ms: 301,
        meta: { total_checked: 1, available_count: 0, pending: 1, duration_ms: 301 },
      },
    },
  },
  statusCsv: {
    registered: { summary: 'One label under two TLDs', value: csvOf([registered, unsupported]) },
  },
  rdap: {
    registered: {
      summary: 'A registered name',
      value: {
        ...registeredRecord,
        nameservers: ['ns1.example-dns.test'],
        registration,
        rdap: {
          objectClassName: 'domain',
          ldhName: 'taken.test',
          secureDNS: { delegationSigned: true },
        },
      },
    },
    available: {
      summary: 'An available name',
      value: { ...availableRecord, nameservers: [], registration: null, rdap: null },
    },
    withoutRecord: {
      summary: 'A verdict without a record',
      value: {
        ...registeredRecord,
        input: 'taken.dns-only.test',
        domain: 'taken.dns-only.test',
        source: 'dns',
        rdap_endpoint: null,
        nameservers: [],
        registration: null,
        rdap: null,
        problem: {
          code: 'no_rdap',
          detail:
            'The verdict is known, but there is no record: no RDAP server is known for this TLD.',
        },
      },
    },
    network: {
      summary: 'The network of an address',
      value: {
        input: '192.0.2.53',
        type: 'ip',
        found: true,
        ...queriedObject,
        object: network,
        rdap: { objectClassName: 'ip network', handle: network.handle },
      },
    },
    noNetwork: {
      summary: 'An address without a network',
      value: {
        input: '203.0.113.1',
        type: 'ip',
        found: false,
        ...queriedObject,
        object: null,
        rdap: null,
      },
    },
  },
  bulkRequest: {
    names: {
      summary: 'Full domain names',
      value: { domains: ['taken.test', 'free.test', 'not a name'], max_age: 3600 },
    },
    pairs: {
      summary: 'All pairs of labels and TLDs',
      value: { names: ['taken', 'free'], tlds: ['test', 'shop.test'] },
    },
  },
  bulk: {
    mixed: {
      summary: 'A registered name, an available one, and an invalid one',
      value: {
        results: bulkResults,
        cached: false,
        latency_ms: 25,
        meta: totals,
      },
    },
  },
  bulkCsv: {
    mixed: {
      summary: 'A registered name, an available one, and an invalid one',
      value: csvOf(bulkResults),
    },
  },
  bulkLine: {
    result: { summary: 'A result', value: { index: 1, input: 'free.test', ...available } },
    totals: { summary: 'The last line', value: { meta: totals } },
  },
} as const satisfies Record<string, JsonObject>;
