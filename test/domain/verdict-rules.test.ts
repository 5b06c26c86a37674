import { describe, expect, it } from 'vitest';
import { decide, type Ruling, type Verdict } from '../../src/domain/verdict.ts';

const delegations = ['delegated', 'absent', 'has_records', 'unverified', undefined] as const;
const proven = ['REGISTERED', 'RESERVED', 'REDEMPTION', 'PENDING_DELETE'] as const;

/** Returns the rulings for each answer of the DNS, in the order of `delegations`. */
function rulings(
  verdict: Verdict | undefined,
  { requiresDns = false, mayBeRegistered = false } = {},
): readonly Ruling[] {
  return delegations.map((delegation) =>
    decide({ verdict, requiresDns, mayBeRegistered }, delegation),
  );
}

describe('the verdict rules', () => {
  it('accept AVAILABLE unless the parent zone contains the name', () => {
    expect(rulings('AVAILABLE')).toEqual([
      'contradicted',
      'registry',
      'contradicted',
      'contradicted',
      'registry',
    ]);
  });

  it('accept AVAILABLE from a server that IANA does not list only if the DNS confirms it', () => {
    expect(rulings('AVAILABLE', { requiresDns: true })).toEqual([
      'contradicted',
      'registry',
      'contradicted',
      'contradicted',
      'unconfirmed',
    ]);
  });

  it.each(proven)('never change %s', (verdict) => {
    for (const requiresDns of [false, true])
      expect(new Set(rulings(verdict, { requiresDns }))).toEqual(new Set(['registry']));
  });

  it('replace UNKNOWN by REGISTERED if the name is delegated', () => {
    for (const requiresDns of [false, true])
      expect(rulings(undefined, { requiresDns })).toEqual([
        'dns',
        'registry',
        'registry',
        'registry',
        'registry',
      ]);
  });

  it('say REGISTERED if a name that cannot be registered is delegated', () => {
    expect(rulings('RESERVED', { mayBeRegistered: true })).toEqual([
      'dns',
      'registry',
      'registry',
      'registry',
      'registry',
    ]);
  });
});
