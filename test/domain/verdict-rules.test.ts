import { describe, expect, it } from 'vitest';
import { decide, type Ruling, type Verdict } from '../../src/domain/verdict.ts';

const delegations = ['delegated', 'absent', 'has_records', 'unverified', undefined] as const;
const proven = ['REGISTERED', 'RESERVED', 'REDEMPTION', 'PENDING_DELETE'] as const;

/** Returns the ruling for each answer of the DNS. */
function rulings(
  verdict: Verdict | undefined,
  { requiresDns = false, mayBeRegistered = false } = {},
): Record<string, Ruling> {
  return Object.fromEntries(
    delegations.map((delegation) => [
      delegation ?? 'no answer',
      decide({ verdict, requiresDns, mayBeRegistered }, delegation),
    ]),
  );
}

/** The rulings if only a delegation matters. */
const registryUnlessDelegated = {
  delegated: 'dns',
  absent: 'registry',
  has_records: 'registry',
  unverified: 'registry',
  'no answer': 'registry',
};

describe('the verdict rules', () => {
  it('accept AVAILABLE unless the parent zone contains the name', () => {
    expect(rulings('AVAILABLE')).toEqual({
      delegated: 'contradicted',
      absent: 'registry',
      has_records: 'contradicted',
      unverified: 'contradicted',
      'no answer': 'registry',
    });
  });

  it('accept AVAILABLE from a server that IANA does not list only if the DNS confirms it', () => {
    expect(rulings('AVAILABLE', { requiresDns: true })).toEqual({
      delegated: 'contradicted',
      absent: 'registry',
      has_records: 'contradicted',
      unverified: 'contradicted',
      'no answer': 'unconfirmed',
    });
  });

  it.each(proven)('never change %s', (verdict) => {
    for (const requiresDns of [false, true])
      expect(new Set(Object.values(rulings(verdict, { requiresDns })))).toEqual(
        new Set(['registry']),
      );
  });

  it('replace UNKNOWN by REGISTERED if the name is delegated', () => {
    for (const requiresDns of [false, true])
      expect(rulings(undefined, { requiresDns })).toEqual(registryUnlessDelegated);
  });

  it('say REGISTERED if a name that cannot be registered is delegated', () => {
    expect(rulings('RESERVED', { mayBeRegistered: true })).toEqual(registryUnlessDelegated);
  });
});
