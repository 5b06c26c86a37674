import { describe, expect, it } from 'vitest';
import { readBootstrap } from '../../../src/registries/directory/bootstrap-parser.ts';
import table from '../../../src/registries/directory/bootstrap-table.json' with { type: 'json' };
import { unlistedServers } from '../../../src/registries/directory/suffix-sources.ts';
import {
  canaryNames,
  hasWellKnownNames,
  sampleNames,
  registeredNames,
} from '../../../src/registries/proof/canary-names.ts';

describe('the canaries of a TLD', () => {
  it.each([
    ['io', ['google.io', 'nic.io']],
    ['co', ['nic.co', 't.co']],
    ['gi', ['nic.gi', 'savills.gi']],
    ['ve', ['ula.ve', 'zumba.com.ve']],
    ['eu', ['eurid.eu', 'google.eu']],
    ['cn', ['google.cn', 'cnnic.cn']],
    ['com', ['nic.com', 'verisign.com', 'google.com']],
    ['example', ['nic.example', 'google.example', 'amazon.example', 'facebook.example']],
    ['co.za', ['google.co.za', 'fnb.co.za', 'nic.co.za']],
    ['org.za', ['nic.org.za']],
  ])('of .%s begin with %j', (entry, names) => {
    expect(canaryNames(entry).slice(0, names.length)).toEqual(names);
  });

  it('are distinct names of the TLD', () => {
    for (const tld of [...unlistedServers.keys(), ...readBootstrap(table).keys()]) {
      const names = canaryNames(tld);
      expect(names.filter((name) => !name.endsWith(`.${tld}`))).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it.each(['cn', 'kr'])('do not include nic.%s, which is reserved', (tld) => {
    expect(canaryNames(tld)).not.toContain(`nic.${tld}`);
  });

  it.each(Array.from(unlistedServers.keys()))(
    'include a name known to be registered in .%s, whose server IANA does not list',
    (tld) => {
      expect(registeredNames(tld)).not.toEqual([]);
    },
  );

  it('are certainly registered only for TLDs in which they were verified', () => {
    expect(['com', 'uk', 'io', 'example'].map(hasWellKnownNames)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

it.each([
  ['io', ['google.io', 'amazon.io', 'facebook.io']],
  ['co', ['t.co', 'google.co', 'amazon.co', 'facebook.co']],
  ['de', ['google.de', 'amazon.de', 'facebook.de']],
  ['com', ['verisign.com', 'google.com', 'amazon.com', 'facebook.com']],
  ['example', ['google.example', 'amazon.example', 'facebook.example']],
  ['co.za', ['google.co.za', 'fnb.co.za', 'amazon.co.za', 'facebook.co.za']],
  ['za', ['google.za', 'amazon.za', 'facebook.za', 'google.co.za', 'fnb.co.za']],
  ['ve', ['ula.ve', 'google.ve', 'amazon.ve', 'facebook.ve', 'zumba.com.ve']],
])('the sample names of the zone %s are probably delegated: %j', (zone, names) => {
  expect(sampleNames(zone)).toEqual(names);
});
