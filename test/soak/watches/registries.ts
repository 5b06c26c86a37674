import { createAnswer, failedAnswer, type Answer } from '../../../src/domain/answer.ts';
import { Problem } from '../../../src/domain/problems.ts';
import type { Registration } from '../../../src/domain/registration.ts';
import { truthAt, type Truth } from './truth.ts';

const minute = 60_000;
const hour = 60 * minute;

/** What the registries of each kind do. */
export const kinds = [
  'honest',
  'late',
  'stale',
  'lying',
  'losing',
  'omitting',
  'throttling',
  'down',
  'drifting',
  'twofold',
] as const;
export type Kind = (typeof kinds)[number];

/** Returns a number from 0 to 1 that is the same in a period of a name. */
function noise(name: string, at: number, periodMs: number): number {
  let hash = Math.floor(at / periodMs) ^ periodMs;
  for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

/** Returns how long ago was true what a registry shows. */
export function lagOf(kind: Kind, name: string, at: number): number {
  if (kind === 'late') return hour;
  return kind === 'stale' && noise(name, at, minute) < 0.3 ? 9 * minute : 0;
}

export function isDown(kind: Kind, at: number): boolean {
  return kind === 'down' && noise('host', at, 5 * hour) < 1 / 3;
}

/** Returns what a registry answers about a name. */
export function answerOf(kind: Kind, name: string, life: readonly Truth[], now: number): Answer {
  const evidence = { unproven: false, controlsPassedAt: now };
  const provenance = { endpoint: `https://${kind}.example/`, checkedAt: now, evidence };
  const failed = (failure: 'busy' | 'down') =>
    failedAnswer(new Problem('registry_error', failure), { ...provenance, failure });
  const start = life[0]?.at ?? 0;
  if (isDown(kind, now)) return failed('down');
  if (kind === 'throttling' && noise(name, now, minute) < 0.2) return failed('busy');
  // A lie lasts for less than the ten minutes between two looks.
  const isLie = kind === 'lying' && now % hour < 9 * minute && noise(name, now, hour) < 0.2;
  const { verdict, registration } = truthAt(life, now - lagOf(kind, name, now));
  if (verdict === 'AVAILABLE' ? !isLie : isLie)
    return createAnswer({ verdict: 'AVAILABLE' }, provenance);
  if (kind === 'twofold' && now > start + 24 * hour && noise(name, now, hour) < 0.2)
    return createAnswer({ verdict: 'REGISTERED' }, provenance);
  const seen = recordOf(kind, name, registration, now);
  const recordEndpoint =
    kind === 'twofold' && now > start + 24 * hour && noise(name, now, hour) < 0.4
      ? 'https://other.example/'
      : undefined;
  const record =
    recordEndpoint === undefined
      ? seen
      : { ...seen, registrar: { name: 'OTHER SPELLING' }, hosts: [] };
  return createAnswer(
    { verdict: verdict === 'AVAILABLE' ? 'REGISTERED' : verdict, registration: () => record },
    { ...provenance, ...(recordEndpoint && { recordEndpoint }) },
  );
}

function recordOf(kind: Kind, name: string, record: Registration, now: number): Registration {
  const isOdd = noise(name, now, hour) < 0.3;
  const isLoss = kind === 'losing' && noise(name, now, 12 * hour) < 0.1;
  if (isLoss && noise(name, now - 12 * hour, 12 * hour) >= 0.1)
    return { ...record, hosts: [], dnssec: { signed: false, dsRecords: [] } };
  if (kind === 'drifting')
    return { ...record, expiresAt: new Date(now + 30 * 24 * hour).toISOString() };
  if (kind !== 'omitting' || !isOdd) return record;
  const { registrar: _registrar, expiresAt: _expiresAt, updatedAt: _updatedAt, ...rest } = record;
  return { ...rest, dnssec: { dsRecords: [] } };
}
