import { toUnicodeName } from '../domain/names/domain-name.ts';
import { fieldFacts } from '../execution/field-facts.ts';
import { builder } from '../schema/builder.ts';
import { domainInterfaces } from '../schema/domain.ts';
import './site-types.ts';
import { features } from './features.ts';
import { pageLookup, pageOfVisit } from './page/page-feature.ts';
import type { SiteParent } from './site-field.ts';
import { resultType, siteMaxAgeDescription, sitesOf } from './site-result.ts';
import { parseSiteTarget, parseSiteUrl } from './site-target.ts';

const SiteType = builder.interfaceRef<SiteParent>('Site');

domainInterfaces.push(SiteType);

SiteType.implement({
  fields: (t) =>
    Object.fromEntries(Object.entries(features).map(([name, { field }]) => [name, field(t)])),
});

const HostType = builder.objectRef<SiteParent>('Host').implement({
  interfaces: [SiteType],
  fields: (t) => ({
    name: t.exposeString('domain'),
    unicodeName: t.string({ resolve: ({ domain }) => toUnicodeName(domain) }),
  }),
});

const urlDescription =
  'An `http:` or `https:` URL of a host name, with the default port and without user name and password.';

builder.queryFields((t) => ({
  site: t.field({
    type: HostType,
    nullable: true,
    args: {
      host: t.arg.string(),
      url: t.arg.string({
        description: `${urlDescription} \`page\`, \`agentSignals\`, \`technologies\` and \`categories\` then read this page instead of the home page.`,
      }),
    },
    resolve: (_root, { host, url }): SiteParent => {
      const target = parseSiteTarget(host ?? undefined, url ?? undefined);
      return { domain: target.host, refusal: null, ...(target.isExact && { page: target }) };
    },
  }),
  page: t.field({
    type: resultType('Page'),
    extensions: fieldFacts({ cost: pageLookup.price }),
    nullable: true,
    args: {
      url: t.arg.string({ required: true, description: urlDescription }),
      maxAge: t.arg.int({ description: siteMaxAgeDescription }),
    },
    resolve: async (_root, { url }, context) =>
      pageOfVisit(await sitesOf(context).get({ lookup: pageLookup }, parseSiteUrl(url))),
  }),
}));
