// cspell:disable (texts of servers)
import type { WhoisFormat } from './whois-format.ts';

/** The WHOIS server of a registry. */
export interface WhoisService {
  readonly host: string;
  readonly port: number;
  /** The suffixes directly under which the registry has names. */
  readonly suffixes: readonly string[];
  readonly format: WhoisFormat;
}

interface BuiltInService {
  readonly tlds: readonly string[];
  readonly host: string;
  /** Suffixes below the TLDs; names under others belong to other operators. */
  readonly secondLevel?: readonly string[];
  readonly format: WhoisFormat;
}

const port = 43;

/**
 * Servers whose replies were captured for both registered and unregistered names, and whose terms
 * do not forbid automated queries (`docs/registry-terms.md` quotes them).
 */
const services: readonly BuiltInService[] = [
  {
    tlds: ['cn', 'xn--fiqs8s', 'xn--fiqz9s'],
    host: 'whois.cnnic.cn',
    secondLevel: ['com.cn'],
    format: {
      available: [['No matching record.']],
      registered: [['Domain Name: {name}', 'ROID: {text}']],
      states: [
        { line: 'the domain you want to register is reserved.', verdict: 'RESERVED' },
        { line: 'Sorry, The domain you requested is in the reserved list.', verdict: 'RESERVED' },
        { line: 'The domain you requested is prohibited.', verdict: 'RESERVED' },
      ],
      refusals: ['Queried interval is too short.{text}'],
    },
  },
  {
    // Names below com.ru, msk.ru and similar suffixes have other operators.
    tlds: ['ru', 'su', 'xn--p1ai'],
    host: 'whois.tcinet.ru',
    format: {
      available: [['No entries found for the selected source(s).']],
      registered: [['domain: {name}', 'state: REGISTERED, {text}']],
      refusals: [
        'You have exceeded allowed connection rate.{text}',
        'You are not allowed to connect{text}',
      ],
    },
  },
  {
    tlds: ['it'],
    host: 'whois.nic.it',
    format: {
      available: [['Domain: {name}', 'Status: AVAILABLE']],
      registered: [['Domain: {name}', 'Created: {text}']],
      states: [
        { line: 'Status: UNASSIGNABLE', verdict: 'RESERVED' },
        { line: 'Status: RESERVED', verdict: 'RESERVED' },
        { line: 'Status: pendingDelete / redemptionPeriod', verdict: 'REDEMPTION' },
        { line: 'Status: pendingDelete / pendingDelete', verdict: 'PENDING_DELETE' },
      ],
    },
  },
  {
    tlds: ['pt'],
    host: 'whois.dns.pt', // only over IPv6
    format: {
      available: [['{name} - No Match']],
      registered: [['Domain: {name}', 'Domain Status: Registered']],
      states: [
        { line: 'Domain Status: Reserved', verdict: 'RESERVED' },
        { line: 'Domain Status: TECH-PRO', verdict: 'UNKNOWN' },
      ],
    },
  },
  {
    tlds: ['jp'],
    host: 'whois.jprs.jp',
    secondLevel: ['co.jp'],
    format: {
      query: '{name}/e', // in English
      available: [['No match!!']],
      registered: [
        ['[Domain Name] {name}', '[Status] Active'],
        ['a. [Domain Name] {name}', '[State] Connected ({text})'],
      ],
      states: [
        { line: '[Status] Reserved{text}', verdict: 'RESERVED' },
        { line: '[State] Reserved{text}', verdict: 'RESERVED' },
        { line: '[Status] Suspended{text}', verdict: 'UNKNOWN' },
        { line: '[State] Suspended{text}', verdict: 'UNKNOWN' },
        { line: '[Status] To be suspended{text}', verdict: 'UNKNOWN' },
        { line: '[State] To be suspended{text}', verdict: 'UNKNOWN' },
        { line: '[Status] Deleted{text}', verdict: 'UNKNOWN' },
        { line: '[State] Deleted{text}', verdict: 'UNKNOWN' },
      ],
    },
  },
  {
    tlds: ['ir', 'xn--mgba3a4f16a'],
    host: 'whois.nic.ir',
    format: {
      available: [['%ERROR:101: no entries found']],
      registered: [['domain: {name}', 'source: IRNIC{text}']],
    },
  },
  {
    tlds: ['at'],
    host: 'whois.nic.at',
    format: {
      available: [['% nothing found']],
      registered: [['domain: {name}', 'source: AT-DOM']],
    },
  },
  {
    tlds: ['za'],
    host: 'coza-whois.registry.net.za',
    secondLevel: ['co.za'],
    format: {
      available: [['Available', 'No information was found matching that query.']],
      registered: [['Domain Name: {name}', 'Registry Domain ID: {text}']],
    },
  },
  {
    tlds: ['mx'],
    host: 'whois.mx',
    secondLevel: ['com.mx'],
    format: {
      available: [['No_Se_Encontro_El_Objeto/Object_Not_Found']],
      registered: [['Domain Name: {name}', 'Created On: {text}']],
    },
  },
  {
    tlds: ['tr'],
    host: 'whois.trabis.gov.tr',
    secondLevel: ['com.tr', 'net.tr'],
    format: {
      available: [['No match found for {name}'], ['No match found for "{name}"']],
      registered: [['** Domain Name: {name}', 'Created on..............: {text}']],
      refusals: ['Invalid input'],
    },
  },
  {
    tlds: ['dk'],
    host: 'whois.punktum.dk',
    format: {
      available: [['No entries found for the selected source.']],
      registered: [
        ['Domain: {name}', 'Status: Active'],
        ['Domain: {name}', 'Status: Deactivated'],
        ['Domain: {name}', 'Status: Reserved'], // registered, but not yet activated
      ],
      states: [{ line: 'Status: Offered to waiting list', verdict: 'RESERVED' }],
    },
  },
  {
    tlds: ['kr', 'xn--3e0b707e'],
    host: 'whois.kr',
    secondLevel: ['co.kr'],
    format: {
      available: [
        ['The requested domain was not found in the Registry or Registrar’s WHOIS Server.'],
      ],
      registered: [['Domain Name : {name}', 'Registered Date : {text}']],
      states: [
        {
          line: 'This request domain name is restricted to specifically qualified registrants{text}',
          verdict: 'RESERVED',
        },
      ],
    },
  },
  {
    tlds: ['hu'],
    host: 'whois.nic.hu',
    format: {
      available: [['Nincs talalat / No match']],
      registered: [['domain: {name}', 'record created: {text}']],
    },
  },
  {
    tlds: ['my'],
    host: 'whois.mynic.my',
    secondLevel: ['com.my'],
    format: {
      available: [['>>> Domain {name} is available for registration']],
      registered: [['Domain Name: {name}', 'Registry Domain ID: {text}']],
      refusals: ['{text}Query limitation is{text}'],
    },
  },
  {
    tlds: ['nz'],
    host: 'whois.irs.net.nz',
    secondLevel: ['co.nz'],
    format: {
      available: [['Not found: {name}']],
      registered: [['Domain Name: {name}', 'Creation Date: {text}']],
      refusals: ['query_status: 440 Request Denied{text}'],
    },
  },
  {
    tlds: ['cl'],
    host: 'whois.nic.cl',
    format: {
      available: [['{name}: no entries found.']],
      registered: [
        ['Domain name: {name}', 'Registrar name: {text}'],
        ['%% See https://www.nic.cl/registry/Whois.do?d={name}', 'Registrar name: {text}'],
      ],
    },
  },
  {
    tlds: ['sk'],
    host: 'whois.sk-nic.sk',
    format: {
      available: [['Domain not found.']],
      registered: [['Domain: {name}', 'Valid Until: {text}']],
    },
  },
  {
    tlds: ['ae'],
    host: 'whois.aeda.net.ae',
    format: {
      available: [['No Data Found']],
      registered: [['Domain Name: {name}', 'Registrar ID: {text}']],
    },
  },
  {
    tlds: ['ie'],
    host: 'whois.weare.ie',
    format: {
      available: [['Not found: {name}']],
      registered: [['Domain Name: {name}', 'Registry Domain ID: {text}-IEDR']],
    },
  },
  {
    tlds: ['il'],
    host: 'whois.isoc.org.il',
    secondLevel: ['co.il', 'org.il'],
    format: {
      available: [['% No data was found to match the request criteria.']],
      registered: [['domain: {name}', 'status: {text}']],
      refusals: ['{text}Access to whois service at whois.isoc.org.il was **DENIED**{text}'],
    },
  },
  {
    tlds: ['pk'],
    host: 'whois.pknic.net.pk',
    format: {
      available: [
        [
          'Domain: {name}',
          'Status: Not Registered, and may be available if valid',
          'Available: Yes.',
        ],
      ],
      registered: [['Domain: {name}', 'Status: Domain is Registered']],
    },
  },
  {
    tlds: ['sa'],
    host: 'whois.nic.net.sa',
    secondLevel: ['com.sa'],
    format: {
      available: [['No Match for domain: {name}']],
      registered: [['Domain Name: {name}']], // no second line is certain
    },
  },
  {
    tlds: ['ge'],
    host: 'whois.nic.ge',
    format: {
      available: [['No match for "{name}".']],
      registered: [['Domain Name: {name}', 'Domain Status: {text}']],
    },
  },
];

/** The TLDs whose WHOIS server is queried. */
export const whoisTlds: readonly string[] = services.flatMap(({ tlds }) => tlds);

/** Returns the WHOIS server of a TLD, given in lower case. */
export function whoisServiceOf(tld: string): WhoisService | undefined {
  const service = services.find(({ tlds }) => tlds.includes(tld));
  if (!service) return undefined;
  const { host, secondLevel = [], format } = service;
  const suffixes = [tld, ...secondLevel.filter((suffix) => suffix.endsWith(`.${tld}`))];
  return { host, port, suffixes, format };
}
