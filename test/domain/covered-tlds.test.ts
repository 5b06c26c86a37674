import { expect, it } from 'vitest';
import { tldTypeOf } from '../../src/domain/covered-tlds.ts';
import table from '../../src/directory/bootstrap-table.json' with { type: 'json' };
import { tldsWithoutRdap } from '../../src/directory/tlds-without-rdap.ts';

const isIdn = (label: string) => label.startsWith('xn--');
const withRdap = table.services.flatMap(([entries = []]) => entries);

it.each(['de', 'uk', 'eu', 'su', 'ac'])(
  'classifies two letters as the code of a country or territory: %s',
  (label) => {
    expect(tldTypeOf(label)).toBe('cctld');
  },
);

it.each(['com', 'edu', 'post', 'asia', 'xn--p1acf', 'xn--80adxhks', 'a1'])(
  'classifies every other TLD as generic: %s',
  (label) => {
    expect(tldTypeOf(label)).toBe('gtld');
  },
);

// ICANN's contracts oblige every gTLD to run RDAP.
it('classifies as a country code every internationalized TLD without RDAP, and those that run it anyway', () => {
  expect(tldsWithoutRdap.filter(isIdn).filter((label) => tldTypeOf(label) !== 'cctld')).toEqual([]);
  const countriesWithRdap = withRdap.filter(isIdn).filter((label) => tldTypeOf(label) === 'cctld');
  expect(countriesWithRdap.toSorted()).toEqual([
    'xn--clchc0ea0b2g2a9gcd',
    'xn--kpry57d',
    'xn--o3cw4h',
    'xn--yfro4i67o',
  ]);
});
