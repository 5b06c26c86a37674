import type { DomainName } from '../../domain/domain-name.ts';
import type { Verdict } from '../../domain/verdict.ts';

/**
 * A query as sent to the server. `{name}` stands for the full name, `{label}` for the name without
 * its TLD.
 */
export type RequestForm = `${string}{${'name' | 'label'}}${'\n' | '\r\n'}`;

/**
 * What a result code means. `status`: the status line states the verdict. `limited`: too many
 * queries. `blocked`: the operator has blocked this address. `failed`: a temporary error.
 * `rejected`: the query is invalid.
 */
export type CodeMeaning =
  'status' | 'available' | 'not_available' | 'limited' | 'blocked' | 'failed' | 'rejected';

interface Codes {
  /** Matches the line with the code, which is the first group. */
  readonly pattern: RegExp;
  readonly meanings: Readonly<Record<string, CodeMeaning>>;
}

/** A reply in which `Domain:` and `Status:` lines follow the result code, if there is one. */
export interface StatusReply {
  readonly codes?: Codes;
  /** Matches each line with the queried name, which is the first group. */
  readonly name: RegExp;
  /** Matches the last line of a reply. The first group is the status. */
  readonly status: RegExp;
  /** By status in lower case. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

/** A reply whose first line has a result code, and which does not contain the name. */
export interface CodeReply {
  readonly codes: Codes;
  readonly status?: undefined;
}

/** The availability service (DAS) of a registry. */
export interface DasService {
  readonly tlds: readonly string[];
  readonly host: string;
  readonly port: number;
  /** If there are several, the documentation is contradictory: only a control shows which works. */
  readonly forms: readonly [RequestForm, ...RequestForm[]];
  readonly reply: StatusReply | CodeReply;
}

const port = 4343;

const services: readonly DasService[] = [
  {
    tlds: ['eu'],
    host: 'das.eu',
    port,
    // EURid, "Lookup services"; Net::DRI; Net::DAS.
    forms: ['get 1.0 {label}\r\n', 'get 2.0 {label}\r\n', '{name}\n'],
    reply: {
      codes: {
        pattern: /^%{1,2} ?RC[ \t]*=[ \t]*(-?\d+)[ \t]*$/,
        meanings: {
          '0': 'status',
          '-6': 'rejected', // invalid version
          '-7': 'rejected', // invalid pattern
          '-8': 'failed', // timeout
          '-9': 'blocked',
        },
      },
      name: /^(?:IDNA )?Domain:[ \t]*(\S+)[ \t]*$/,
      status: /^Status:[ \t]*(\S+(?:[ \t]+\S+)*)[ \t]*$/,
      // The registry's page of 2006, and the words that clients match. "Application pending" and
      // "not allowed" state neither.
      verdicts: byStatus({
        available: 'AVAILABLE',
        free: 'AVAILABLE',
        registered: 'REGISTERED',
        'not available': 'REGISTERED',
        'on hold': 'REGISTERED', // in a dispute
        'out of service': 'REGISTERED', // its registrar has no contract
        reserved: 'RESERVED',
        blocked: 'RESERVED',
        suspended: 'REDEMPTION', // in quarantine
      }),
    },
  },
  {
    tlds: ['be'],
    host: 'das.dns.be',
    port,
    // DNS Belgium, "WHOIS and DAS".
    forms: ['{name}\r\n'],
    reply: {
      codes: {
        // The documentation has `RC: 0`, and the test of a client `%% RC=0`.
        pattern: /^%{0,2} ?RC[ \t]*[=:][ \t]*(-?\d+)[ \t]*$/,
        meanings: { '0': 'status', '-1': 'failed', '-2': 'limited', '-3': 'blocked' },
      },
      name: /^(?:Domain|A-label):[ \t]*(\S+)[ \t]*$/,
      status: /^Status:[ \t]*(\S+(?:[ \t]+\S+)*)[ \t]*$/,
      // "Not allowed" is an invalid name.
      verdicts: byStatus({
        available: 'AVAILABLE',
        'not available': 'REGISTERED',
      }),
    },
  },
  {
    tlds: ['ch', 'li'],
    host: 'whois.nic.ch',
    port,
    // SWITCH, "Domain check".
    forms: ['{name}\r\n'],
    reply: {
      codes: {
        pattern: /^[ \t]*(-?\d+)[ \t]*:/,
        meanings: {
          '1': 'available',
          '0': 'not_available',
          '-1': 'rejected',
          '-95': 'limited',
          '-99': 'failed',
        },
      },
    },
  },
  {
    tlds: ['lt'],
    host: 'das.domreg.lt',
    port,
    // DOMREG, FAQ for registrars.
    forms: ['get 1.0 {name}\n'],
    reply: {
      name: /^Domain:[ \t]*(\S+)[ \t]*$/,
      status: /^Status:[ \t]*(\S+)[ \t]*$/,
      verdicts: byStatus({
        available: 'AVAILABLE',
        registered: 'REGISTERED',
        stopped: 'REGISTERED',
        outOfService: 'REGISTERED',
        pendingCreate: 'REGISTERED',
        restrictedDisposal: 'REGISTERED',
        restrictedRights: 'REGISTERED',
        pendingDelete: 'REDEMPTION', // 30 days of quarantine
        pendingRelease: 'PENDING_DELETE', // released at a random time within a day
        blocked: 'RESERVED',
        reserved: 'RESERVED',
      }),
    },
  },
];

/** The TLDs whose registry has an availability service. */
export const dasTlds: readonly string[] = services.flatMap(({ tlds }) => tlds);

/** Returns the availability service of a TLD, given in lower case. */
export function dasServiceOf(tld: string): DasService | undefined {
  return services.find(({ tlds }) => tlds.includes(tld));
}

/** Returns the query for a name in one of the request forms of its service. */
export function toRequest(form: RequestForm, name: DomainName): string {
  return form.replace('{name}', name).replace('{label}', name.slice(0, name.lastIndexOf('.')));
}

function byStatus(verdicts: Readonly<Record<string, Verdict>>): ReadonlyMap<string, Verdict> {
  return new Map(
    Object.entries(verdicts).map(([status, verdict]) => [status.toLowerCase(), verdict]),
  );
}
