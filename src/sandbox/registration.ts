import { createHash } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import type { Clock } from '../clock.ts';
import { redactions, registrant, registrar, technicalContact } from './contacts.ts';
import { currentLifetime, lapsedLifetime, rfc3339, type Lifetime } from './lifetime.ts';
import { nameserver } from './nameserver.ts';
import { sandboxNotice, rdap, rdapError, type SandboxResponse } from './responses.ts';
import { faults, type Fault, type SandboxServices } from './faults.ts';
import { contradictedSuffix } from './suffixes.ts';

/** The life-cycle phase of a registration. */
export type SandboxPhase = 'current' | 'redemption' | 'pending delete';

const phases: Record<
  SandboxPhase,
  { statuses: readonly string[]; lifetime(seed: number, clock: Clock): Lifetime }
> = {
  current: {
    statuses: ['client delete prohibited', 'client transfer prohibited'],
    lifetime: currentLifetime,
  },
  redemption: {
    statuses: ['redemption period', 'pending delete'],
    lifetime: (seed, clock) => lapsedLifetime(seed, clock, 50, 5),
  },
  'pending delete': {
    statuses: ['pending delete'],
    lifetime: (seed, clock) => lapsedLifetime(seed, clock, 78, 3),
  },
};

/**
 * Returns a fictitious domain object (RFC 9083). It is the same for the same name, except for dates
 * that depend on the clock.
 */
export function sandboxRegistration(
  name: string,
  phase: SandboxPhase,
  baseUrl: string,
  clock: Clock,
) {
  const digest = createHash('sha256').update(name).digest();
  const seed = digest.readUInt32BE();
  const self = `${baseUrl}domain/${name}`;
  return {
    rdapConformance: ['rdap_level_0', 'redacted'],
    objectClassName: 'domain',
    handle: `${seed.toString(36).toUpperCase()}-SANDBOX`,
    ldhName: name,
    ...unicodeName(name),
    status: phases[phase].statuses,
    events: events(phases[phase].lifetime(seed, clock), clock),
    nameservers: [nameserver(1), nameserver(2)],
    secureDNS: secureDns(digest),
    entities: [registrar, registrant(seed), technicalContact(seed, `hostmaster@${name}`)],
    redacted: redactions,
    links: [{ value: self, rel: 'self', href: self, type: 'application/rdap+json' }],
    notices: [sandboxNotice],
  };
}

function unicodeName(name: string): { unicodeName?: string } {
  const unicode = domainToUnicode(name);
  return unicode && unicode !== name ? { unicodeName: unicode } : {};
}

function events({ createdAt, updatedAt, expiresAt }: Lifetime, clock: Clock) {
  return [
    { eventAction: 'registration', eventDate: createdAt },
    { eventAction: 'last changed', eventDate: updatedAt },
    { eventAction: 'expiration', eventDate: expiresAt },
    { eventAction: 'last update of RDAP database', eventDate: rfc3339(clock.now()) },
  ];
}

function secureDns(digest: Buffer) {
  const delegation = {
    keyTag: digest.readUInt16BE(4),
    algorithm: 13,
    digestType: 2,
    digest: digest.toString('hex').toUpperCase(),
  };
  return { zoneSigned: true, delegationSigned: true, dsData: [delegation] };
}

type Behaviour = (
  name: string,
  services: SandboxServices,
) => SandboxResponse | Promise<SandboxResponse>;

/** Behaviours by the prefix of the label. */
const behaviours: Readonly<Record<string, Behaviour>> = {
  taken: registered('current'),
  reserved: () =>
    rdapError(404, 'Reserved', 'This name is not available for registration: registry reserved.'),
  redemption: registered('redemption'),
  pending: registered('pending delete'),
  slow: faulty(faults.slow),
  busy: faulty(faults.busy),
  down: faulty(faults.down),
  html: faulty(faults.html),
  hang: faulty(faults.hang),
};

/** Creates the function that responds to lookups of a lower-case A-label name under `.test`. */
export function sandboxResponder(
  services: SandboxServices,
): (name: string) => SandboxResponse | Promise<SandboxResponse> {
  const table = Object.entries(behaviours);
  return (name) => {
    if (name.endsWith(`.${contradictedSuffix}`)) return unregistered(name, services);
    const [, behaviour = unregistered] = table.find(([prefix]) => name.startsWith(prefix)) ?? [];
    return behaviour(name, services);
  };
}

function registered(phase: SandboxPhase): Behaviour {
  return (name, { baseUrl, clock }) => rdap(200, sandboxRegistration(name, phase, baseUrl, clock));
}

function faulty(fault: Fault): Behaviour {
  return (name, services) => fault(name, services, () => registered('current')(name, services));
}

const unregistered: Behaviour = () => rdapError(404, 'Not Found', 'No such domain.');
