import { expect, it } from 'vitest';
import { tldTypeOf } from '../../../src/domain/names/tld-sets.ts';
import table from '../../../src/registries/directory/bootstrap-table.json' with { type: 'json' };
import { builtInTlds } from '../../../src/registries/directory/tld-list.ts';

const isIdn = (label: string) => label.startsWith('xn--');
const withRdap = table.services.flatMap(([entries = []]) => entries);
const withoutRdap = Array.from(builtInTlds).filter((label) => !withRdap.includes(label));

it.each(['de', 'uk', 'eu', 'su', 'ac'])(
  'classifies a two-letter TLD as a country code: %s',
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

// ICANN requires RDAP of every gTLD, so an internationalized TLD without RDAP is a country code.
it('classifies internationalized country codes with and without RDAP', () => {
  expect(withoutRdap.filter(isIdn).filter((label) => tldTypeOf(label) !== 'cctld')).toEqual([]);
  const countriesWithRdap = withRdap.filter(isIdn).filter((label) => tldTypeOf(label) === 'cctld');
  expect(countriesWithRdap.toSorted()).toEqual(
    'xn--clchc0ea0b2g2a9gcd xn--kpry57d xn--o3cw4h xn--yfro4i67o'.split(' '),
  );
});
