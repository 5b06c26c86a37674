import { createHash } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import { filled } from '../shared/template.ts';
import table from './domain.json' with { type: 'json' };
import { contradictedSuffix } from './names.ts';
import { otherRegistrar, redactions, registrant, registrar, technicalContact } from './contacts.ts';
import {
  faults,
  rdap,
  rdapError,
  rfc3339,
  sandboxNotice,
  type Fault,
  type SandboxResponse,
  type SandboxServices,
} from './responses.ts';

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
  changing: registered('changing'),
  dropping,
  ...Object.fromEntries(Object.entries(faults).map(([prefix, fault]) => [prefix, faulty(fault)])),
};

/** Responds to a lookup of a lower-case A-label name under `.test`. */
export function respondToName(name: string, services: SandboxServices): ReturnType<Behaviour> {
  const [, behaviour] =
    Object.entries(behaviours).find(([prefix]) => name.startsWith(prefix)) ?? [];
  return behaviour === undefined || name.endsWith(`.${contradictedSuffix}`)
    ? notFound()
    : behaviour(name, services);
}

function registered(phase: Phase): Behaviour {
  return (name, services) => rdap(200, registration(name, phase, services));
}

/** In the last days before the deletion in even minutes, and deleted in odd ones. */
function dropping(name: string, services: SandboxServices): SandboxResponse {
  return isOddMinute(services.clock.now())
    ? notFound()
    : rdap(200, registration(name, 'pending delete', services));
}

function notFound(): SandboxResponse {
  return rdapError(404, 'Not Found', 'No such domain.');
}

function isOddMinute(now: number): boolean {
  return Math.floor(now / minuteMs) % 2 === 1;
}

function faulty(fault: Fault): Behaviour {
  return (name, services) => fault(name, services, () => registered('current')(name, services));
}

/** The life-cycle phase of a registration. */
type Phase = keyof typeof table.statuses;

/**
 * Returns a fictitious domain object (RFC 9083). It is the same for the same name, except for dates
 * that depend on the clock.
 */
function registration(name: string, phase: Phase, { baseUrl, clock }: SandboxServices): object {
  const digest = createHash('sha256').update(name).digest();
  const seed = digest.readUInt32BE();
  const now = clock.now();
  const [created, updated, expires] = lifetimes[phase](seed, now).map(rfc3339);
  const unicodeName = domainToUnicode(name);

  return filled(table.domain, {
    name,
    unicodeName: unicodeName && unicodeName !== name ? unicodeName : undefined,
    handle: `${seed.toString(36).toUpperCase()}-SANDBOX`,
    self: `${baseUrl}domain/${name}`,
    status: table.statuses[phase],
    created,
    updated,
    expires,
    now: rfc3339(now),
    nameservers,
    keyTag: digest.readUInt16BE(4),
    digest: digest.toString('hex').toUpperCase(),
    registrar: phase === 'changing' && isOddMinute(now) ? otherRegistrar : registrar,
    registrant: registrant(seed, { roles: ['registrant'] }),
    technical: technicalContact(seed, {
      roles: ['technical'],
      email: ['email', {}, 'text', `hostmaster@${name}`],
    }),
    redacted: redactions,
    notice: sandboxNotice,
  });
}

/**
 * The nameservers of sandbox domains, as their objects contain them, with addresses from the
 * documentation ranges (RFC 5737, RFC 3849).
 */
export const { nameservers } = table;

/** The registration, last change and expiry of a name. */
type Lifetime = readonly [created: number, updated: number, expires: number];

const minuteMs = 60_000;
const dayMs = 86_400_000;

const lifetimes: Readonly<Record<Phase, (seed: number, now: number) => Lifetime>> = {
  current: currentLifetime,
  changing: (seed, now) => {
    const [created, , expires] = currentLifetime(seed, now);
    return [created, Math.floor(now / minuteMs) * minuteMs, expires];
  },
  redemption: (seed, now) => lapsedLifetime(seed, now, 50, 5),
  'pending delete': (seed, now) => lapsedLifetime(seed, now, 78, 3),
};

/**
 * Returns the dates of an active registration. It expires at the next anniversary that is more than
 * 60 days ahead, so that examples in the documentation never expire. It was renewed 70 days before
 * the current term, which is always in the past.
 */
function currentLifetime(seed: number, now: number): Lifetime {
  const created = Date.UTC(
    1998 + (seed % 20),
    seed % 12,
    1 + (seed % 28),
    seed % 24,
    seed % 60,
    (seed >>> 8) % 60,
  );
  let expires = withYear(created, new Date(now).getUTCFullYear());
  while (expires <= now + 60 * dayMs) expires = addYears(expires, 1);

  return [created, addYears(expires, -1) - 70 * dayMs, expires];
}

/**
 * Returns the dates of an expired registration, which last changed after its expiry. They are the same
 * for a month.
 */
function lapsedLifetime(
  seed: number,
  now: number,
  expiredDaysAgo: number,
  changedDaysAgo: number,
): Lifetime {
  const date = new Date(now);
  const month = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  const expired = month - expiredDaysAgo * dayMs;
  return [addYears(expired, -1 - (seed % 15)), month - changedDaysAgo * dayMs, expired];
}

function addYears(instant: number, years: number): number {
  return withYear(instant, new Date(instant).getUTCFullYear() + years);
}

function withYear(instant: number, year: number): number {
  return new Date(instant).setUTCFullYear(year);
}
