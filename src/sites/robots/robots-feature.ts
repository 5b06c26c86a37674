import { mapOutcome } from '../../domain/outcome.ts';
import { skipCache } from '../../server/messages/deprecations.ts';
import type { Fact } from '../fact.ts';
import { enumMember, readProblems, siteEndpoint } from '../site-endpoint.ts';
import { resultField, type Feature } from '../site-field.ts';
import { lookupOf } from '../site-lookup.ts';
import { listedRobots, type RobotsFile } from './robots-file.ts';

export const robotsFact: Fact<RobotsFile> = {
  name: 'robots',
  from: 'site',
  keyOf: ({ target: { isExact, url } }) => `${isExact} ${url.origin}`,
  isTemporary: ({ access }) => access === 'disallow_all',
  maxAgeMs: 24 * 60 * 60 * 1000, // RFC 9309 section 2.4
  open: async ({ client }) => (await import('./robots-reader.ts')).robotsReader({ client }),
};

const lookup = lookupOf(robotsFact, {
  price: 1,
  workMs: 10,
  about: 'host',
  isCharged: ({ access }) => access !== 'disallow_all',
});

/** `GET /v1/robots`: the robots.txt of a site. */
const endpoint = siteEndpoint('/v1/robots', {
  lookup,
  summary: 'Read the robots.txt of a site',
  description:
    'Returns the groups, rules, sitemaps and content signals of the file (RFC 9309). Without a file, `access` is `allow_all`; if the server failed, it is `disallow_all`, and the call costs nothing.',
  problems: readProblems,
  aliases: { skip_cache: skipCache },
  selection: `
    url final_url: finalUrl http_status: httpStatus access
    groups {
      user_agents: userAgents
      rules { type path }
      crawl_delay: crawlDelay
      content_signals: contentSignals { path name allowed }
    }
    sitemaps truncated
  `,
  name: 'RobotsBody',
  keepsResult: true,
  members: enumMember('access'),
});

/** The feature `robots`: what crawlers may read. */
export const robots = {
  lookup,
  field: resultField('Robots', lookup, (outcome) => mapOutcome(outcome, listedRobots)),
  endpoints: [endpoint],
} satisfies Feature;
