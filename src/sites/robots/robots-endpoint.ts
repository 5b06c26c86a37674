import { robotsLookup } from './robots-lookup.ts';
import { skipCache } from '../../server/messages/deprecations.ts';
import { enumMember, readProblems, siteEndpoint } from '../site-endpoint.ts';

/** `GET /v1/robots`: the robots.txt of a site. */
export const robots = siteEndpoint('/v1/robots', {
  lookup: robotsLookup,
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
