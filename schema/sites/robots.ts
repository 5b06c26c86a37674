import type {
  ContentSignal,
  RobotsFile,
  RobotsGroup,
  RobotsRule,
} from '../../src/sites/robots/robots-file.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { builder } from '../builder.ts';
import { fieldOf, SiteResultType } from './site-result.ts';

const RobotsAccess = builder.enumType('RobotsAccess', {
  description:
    'What a robots.txt means for crawlers. Values may be added; clients must tolerate unknown ones.',
  values: {
    RULES: { value: 'rules', description: 'The rules of the file apply.' },
    ALLOW_ALL: {
      value: 'allow_all',
      description: 'There is no file (4xx), so everything is allowed.',
    },
    DISALLOW_ALL: {
      value: 'disallow_all',
      description: 'The server failed (5xx), so nothing is allowed (RFC 9309 section 2.3.1.4).',
    },
  } as const,
});

const RobotsRuleType = builder.objectRef<RobotsRule>('RobotsRule').implement({
  description: 'A rule of a robots.txt.',
  fields: (t) => ({
    type: t.exposeString('type', { description: '`allow` or `disallow`.' }),
    path: t.exposeString('path', {
      description: 'The path pattern; empty in a `Disallow:` that forbids nothing.',
    }),
  }),
});

const ContentSignalType = builder.objectRef<ContentSignal>('ContentSignal').implement({
  description: 'A preference about the use of the content (`Content-Signal`).',
  fields: (t) => ({
    path: t.exposeString('path', {
      nullable: true,
      description: 'The path to which it applies; null for all.',
    }),
    name: t.exposeString('name', { description: '`search`, `ai-input`, `ai-train` or another.' }),
    allowed: t.exposeBoolean('isAllowed', { description: 'Whether the use is allowed.' }),
  }),
});

const RobotsGroupType = builder.objectRef<RobotsGroup>('RobotsGroup').implement({
  description: 'The rules of a robots.txt for some crawlers.',
  fields: (t) => ({
    userAgents: t.exposeStringList('userAgents', {
      description: 'Product tokens as written; `*` means all others.',
    }),
    rules: t.field({
      type: [RobotsRuleType],
      description:
        'The rules, in order. If there are none, the rules of the next group apply (RFC 9309 section 2.2.1).',
      resolve: ({ rules }) => [...rules],
    }),
    crawlDelay: t.exposeFloat('crawlDelay', {
      nullable: true,
      description: '`Crawl-delay` in seconds, which RFC 9309 does not define; null if absent.',
    }),
    contentSignals: t.field({
      type: [ContentSignalType],
      description: 'Preferences about the use of the content.',
      resolve: ({ contentSignals }) => [...contentSignals],
    }),
  }),
});

const field = fieldOf<RobotsFile>();

export const RobotsType = builder.objectRef<Outcome<RobotsFile>>('Robots').implement({
  interfaces: [SiteResultType],
  description:
    'The robots.txt of a site (RFC 9309). It states what crawlers may read, not what they do read, and protects nothing.',
  fields: (t) => ({
    url: t.string(field('url', 'The URL that was requested.')),
    finalUrl: t.string(
      field('finalUrl', 'The URL of the last response, after redirects; null without a response.'),
    ),
    httpStatus: t.int(field('status', 'The HTTP status; null without a response.')),
    access: t.field({
      type: RobotsAccess,
      ...field('access', 'What the response means for crawlers.'),
    }),
    groups: t.field({
      type: [RobotsGroupType],
      ...field('groups', 'The groups of rules, in order.'),
    }),
    sitemaps: t.stringList(field('sitemaps', 'The URLs of `Sitemap` lines.')),
    truncated: t.boolean(
      field(
        'isTruncated',
        'Whether the file continues after the part that was read, 512 KiB, or has more entries than are listed.',
      ),
    ),
  }),
});
