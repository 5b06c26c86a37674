import type { Registration } from '../../../src/domain/registration.ts';
import type { Verdict } from '../../../src/domain/verdict.ts';
import type { Random } from '../../support/time/random.ts';
import type { ChangeType } from '../../../src/watches/observation.ts';

const hour = 3_600_000;
export const day = 24 * hour;

/** What is true of a name from a time on. */
export interface Truth {
  readonly at: number;
  /** The change that begins it; null for the first one. */
  readonly type: ChangeType | null;
  readonly verdict: Verdict;
  readonly registration: Registration;
}

/** Returns what happens to a name, in order. */
export function lifeOf(start: number, days: number, random: Random): readonly Truth[] {
  let at = start - 1;
  let changed = 0;
  const life: Truth[] = [
    {
      at,
      type: null,
      verdict: 'REGISTERED',
      registration: {
        hosts: [{ name: 'ns0.example', ipv4: [], ipv6: [] }],
        statuses: ['client transfer prohibited'],
        contacts: [],
        events: [],
        redacted: [],
        registrar: { name: 'Registrar 0', ianaId: '1000' },
        dnssec: {
          signed: true,
          dsRecords: [{ keyTag: 1, algorithm: 13, digestType: 2, digest: 'AB' }],
        },
        createdAt: iso(start - 900 * day),
        updatedAt: iso(start - 100 * day),
        expiresAt: iso(start + (300 + random.below(300)) * day),
      },
    },
  ];
  const change = (
    type: ChangeType,
    part: Partial<Registration>,
    verdict: Verdict = 'REGISTERED',
  ) => {
    const { registration } = life.at(-1) as Truth;
    const updatedAt = random.chance(0.7) || type === 'UPDATED' ? { updatedAt: iso(at) } : {};
    life.push({ at, type, verdict, registration: { ...registration, ...updatedAt, ...part } });
  };
  const next = (least: number, spread: number) =>
    (at += Math.round((least + random.below(spread * 1000) / 1000) * day));
  while (next(9, 30) < start + days * day) {
    changed += 1;
    const { registration } = life.at(-1) as Truth;
    const expiresAt = iso(Date.parse(registration.expiresAt ?? '') + 365 * day);
    const host = { name: `ns${changed}.example`, ipv4: [], ipv6: [] };
    const record = { keyTag: changed + 1, algorithm: 13, digestType: 2, digest: 'AB' };
    const kind = random.below(7);
    if (kind === 0) change('EXPIRY', { expiresAt });
    else if (kind === 1)
      change('REGISTRAR', {
        registrar: { name: `Registrar ${changed}`, ianaId: `${1000 + changed}` },
      });
    else if (kind === 2) change('NAMESERVERS', { hosts: [host] });
    else if (kind === 3) change('DNSSEC', { dnssec: { signed: true, dsRecords: [record] } });
    else if (kind === 4) change('STATUSES', { statuses: [`client hold ${changed}`] });
    else if (kind === 5) change('UPDATED', {});
    else {
      const { statuses } = registration;
      // Each state lasts longer than its interval.
      change('PHASE', { statuses: ['redemption period'], updatedAt: iso(at) }, 'REDEMPTION');
      at += 30 * day;
      change('PHASE', { statuses: ['pending delete'], updatedAt: iso(at) }, 'PENDING_DELETE');
      at += 5 * day + random.below(12) * hour;
      const last = life.at(-1)?.registration.updatedAt;
      change('AVAILABLE', { ...(last && { updatedAt: last }) }, 'AVAILABLE');
      next(3, 20);
      const again = { createdAt: iso(at), updatedAt: iso(at), expiresAt: iso(at + 400 * day) };
      change('REGISTERED', { ...again, statuses });
    }
  }
  return life.filter((truth) => truth.at < start + days * day);
}

/** Returns what is true at a time. */
export function truthAt(life: readonly Truth[], at: number): Truth {
  return life.findLast((truth) => truth.at <= at) ?? (life[0] as Truth);
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
