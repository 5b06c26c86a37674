import { mapOutcome } from '../../domain/outcome.ts';
import { resultField } from '../site-field.ts';
import { listedRobots } from './robots-file.ts';
import { robotsLookup } from './robots-lookup.ts';
import type { ContentSignal, RobotsFile, RobotsGroup, RobotsRule } from './robots-file.ts';
import { enumOfWords, objectType } from '../../schema/builder.ts';
import { siteResult } from '../site-result.ts';

const RobotsAccess = enumOfWords('RobotsAccess', ['rules', 'allow_all', 'disallow_all']);

const RobotsRuleType = objectType<RobotsRule>('RobotsRule', (t) => ({
  type: t.exposeString('type'),
  path: t.exposeString('path'),
}));

const ContentSignalType = objectType<ContentSignal>('ContentSignal', (t) => ({
  path: t.exposeString('path', { nullable: true }),
  name: t.exposeString('name'),
  allowed: t.exposeBoolean('isAllowed'),
}));

const RobotsGroupType = objectType<RobotsGroup>('RobotsGroup', (t) => ({
  userAgents: t.exposeStringList('userAgents'),
  rules: t.field({ type: [RobotsRuleType], resolve: ({ rules }) => [...rules] }),
  crawlDelay: t.exposeFloat('crawlDelay', { nullable: true }),
  contentSignals: t.field({
    type: [ContentSignalType],
    resolve: ({ contentSignals }) => [...contentSignals],
  }),
}));

export const RobotsType = siteResult<RobotsFile>('Robots', (t, field) => ({
  url: t.string(field('url')),
  finalUrl: t.string(field('finalUrl')),
  httpStatus: t.int(field('status')),
  access: t.field({ type: RobotsAccess, ...field('access') }),
  groups: t.field({ type: [RobotsGroupType], ...field('groups') }),
  sitemaps: t.stringList(field('sitemaps')),
  truncated: t.boolean(field('isTruncated')),
}));

export const robotsField = resultField(RobotsType, robotsLookup, (outcome) =>
  mapOutcome(outcome, listedRobots),
);
