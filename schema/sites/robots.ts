import type {
  ContentSignal,
  RobotsFile,
  RobotsGroup,
  RobotsRule,
} from '../../src/sites/robots/robots-file.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import { builder, enumOfWords } from '../builder.ts';
import { fieldOf, SiteResultType } from './site-result.ts';

const RobotsAccess = enumOfWords('RobotsAccess', ['rules', 'allow_all', 'disallow_all']);

const RobotsRuleType = builder.objectRef<RobotsRule>('RobotsRule').implement({
  fields: (t) => ({
    type: t.exposeString('type'),
    path: t.exposeString('path'),
  }),
});

const ContentSignalType = builder.objectRef<ContentSignal>('ContentSignal').implement({
  fields: (t) => ({
    path: t.exposeString('path', { nullable: true }),
    name: t.exposeString('name'),
    allowed: t.exposeBoolean('isAllowed'),
  }),
});

const RobotsGroupType = builder.objectRef<RobotsGroup>('RobotsGroup').implement({
  fields: (t) => ({
    userAgents: t.exposeStringList('userAgents'),
    rules: t.field({ type: [RobotsRuleType], resolve: ({ rules }) => [...rules] }),
    crawlDelay: t.exposeFloat('crawlDelay', { nullable: true }),
    contentSignals: t.field({
      type: [ContentSignalType],
      resolve: ({ contentSignals }) => [...contentSignals],
    }),
  }),
});

const field = fieldOf<RobotsFile>();

export const RobotsType = builder.objectRef<Outcome<RobotsFile>>('Robots').implement({
  interfaces: [SiteResultType],
  fields: (t) => ({
    url: t.string(field('url')),
    finalUrl: t.string(field('finalUrl')),
    httpStatus: t.int(field('status')),
    access: t.field({ type: RobotsAccess, ...field('access') }),
    groups: t.field({ type: [RobotsGroupType], ...field('groups') }),
    sitemaps: t.stringList(field('sitemaps')),
    truncated: t.boolean(field('isTruncated')),
  }),
});
