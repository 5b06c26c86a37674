import { describe, expect, it } from 'vitest';
import { parseEntry } from '../../src/domain/names/parsed-name.ts';
import type { DomainName, SplitName } from '../../src/domain/names/domain-name.ts';
import type { Confirm, Registry } from '../../src/domain/source.ts';
import { LookupPlan, type FieldLookup } from '../../src/lookup/lookup-plan.ts';
import { Problem } from '../../src/domain/problems.ts';
import { createDirectory } from '../../src/registries/directory/directory.ts';
import { problemOf } from '../support/checks/problem-of.ts';

const policy = { kind: 'UNKNOWN' } as const;

const registry: Registry = {
  id: 'example',
  sources: [],
  lookup: () => Promise.reject(new Error('no lookup was expected')),
  readCache: async () => new Map(),
};
const entries = new Map([['example', registry]]);

const field = (
  key: string,
  domains: readonly string[],
  more: Partial<FieldLookup> = {},
): FieldLookup => ({
  key,
  names: domains.map(parseEntry),
  maxAge: undefined,
  detail: 'verdict',
  priority: 'search',
  ...more,
});

/** Returns the plan of fields, and the names that were resolved. */
function planOf(...fields: readonly FieldLookup[]) {
  const directory = createDirectory(
    () => entries,
    () => policy,
  );
  const resolved: string[] = [];
  const resolve = (name: SplitName) => {
    resolved.push(name.ascii);
    return directory.resolve(name);
  };
  return { plan: new LookupPlan(fields, { resolve }), resolved };
}

describe('the plan of an operation', () => {
  it('resolves each name once and shares its row between fields', () => {
    const { plan, resolved } = planOf(
      field('a', ['x.example', 'y.example']),
      field('b', ['X.example', 'z.nowhere']),
    );
    expect(plan.isFree('x.example' as DomainName)).toBe(false);
    expect(plan.isFree('z.nowhere' as DomainName)).toBe(true);
    expect(resolved).toEqual(['x.example', 'y.example', 'z.nowhere']);
    expect(plan.field('b').rows[0]).toBe(plan.field('a').rows[0]);
    expect(plan.row('x.example')).toBe(plan.field('a').rows[0]);
    expect([...plan.rows].map(({ id }) => id)).toEqual(['x.example', 'y.example', 'z.nowhere']);
  });

  it('queries a name with the smallest max age and the most detail of all fields', () => {
    const fields = [
      field('a', ['x.example'], { maxAge: 60 }),
      field('b', ['x.example'], { maxAge: 30, detail: 'record' }),
      field('c', ['x.example'], { detail: 'registration' }),
    ];
    const query = {
      name: { ascii: 'x.example', label: 'x', suffix: 'example' },
      maxAge: 30,
      requireDefaultFreshness: true,
      detail: 'record',
      confirm: 'ALL',
    };
    expect(planOf(...fields).plan.row('x.example')?.target).toEqual({ registry, policy, query });
  });

  it.each<[(Confirm | undefined)[], Confirm]>([
    [['AVAILABLE', 'AVAILABLE'], 'AVAILABLE'],
    [['AVAILABLE', 'ALL'], 'ALL'],
    [['ALL', 'AVAILABLE'], 'ALL'],
    [['AVAILABLE', undefined, 'AVAILABLE'], 'ALL'],
  ])('lets the registry confirm what one of the fields requires: %j', (values, confirm) => {
    const fields = values.map((value, index) =>
      field(String(index), ['x.example'], value && { confirm: value }),
    );
    expect(planOf(...fields).plan.row('x.example')?.target).toMatchObject({ query: { confirm } });
  });

  it('returns an invalid entry as the caller wrote it', () => {
    const rows = planOf(field('a', ['not a name', 'WWW.x.Example'])).plan.field('a').rows;
    expect(rows.map(({ id, domain }) => [id, domain])).toEqual([
      ['invalid:not a name', 'not a name'],
      ['invalid:WWW.x.Example', 'WWW.x.Example'],
    ]);
  });

  it('has only rows with a requested id', () => {
    const ids = new Set(['invalid:x.example', 'y.example']);
    const { plan } = planOf(field('a', ['x.example', 'y.example'], { ids }));
    expect([plan.row('x.example'), plan.row('y.example')?.id]).toEqual([undefined, 'y.example']);
    expect(plan.fields[0]?.names).toEqual([parseEntry('y.example')]);
  });

  it('fails only the fields with invalid arguments', () => {
    const problem = new Problem('invalid_max_age', 'maxAge must be positive.', { param: 'maxAge' });
    const { plan } = planOf(
      field('a', [], { problem }),
      field('b', ['www.x.example'], { isStrict: true }),
      field('c', ['y.example']),
    );
    expect(() => plan.field('a')).toThrow(problem);
    expect(problemOf(() => plan.field('b'))).toMatchObject({ code: 'invalid_name', param: 'name' });
    expect(plan.field('c').rows).toHaveLength(1);
    expect([...plan.rows]).toHaveLength(1);
  });
});
