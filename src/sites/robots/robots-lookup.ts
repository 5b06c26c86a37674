import type { Fact } from '../fact.ts';
import { lookupOf } from '../site-lookup.ts';
import type { RobotsFile } from './robots-file.ts';

export const robotsFact: Fact<RobotsFile> = {
  name: 'robots',
  from: 'site',
  keyOf: ({ target: { isExact, url } }) => `${isExact} ${url.origin}`,
  isTemporary: ({ access }) => access === 'disallow_all',
  maxAgeMs: 24 * 60 * 60 * 1000, // RFC 9309 section 2.4
  open: async ({ client }) => (await import('./robots-reader.ts')).robotsReader({ client }),
};

export const robotsLookup = lookupOf(robotsFact, {
  price: 1,
  workMs: 10,
  about: 'host',
  isCharged: ({ access }) => access !== 'disallow_all',
});
