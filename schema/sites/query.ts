import { toUnicodeName } from '../../src/domain/domain-name.ts';
import { validateMaxAge } from '../../src/domain/parsed-name.ts';
import { parseSiteTarget, parseSiteUrl } from '../../src/sites/site-target.ts';
import { builder } from '../builder.ts';
import './abuse-contacts.ts';
import { pageOfVisit, PageType } from './page.ts';
import { siteMaxAgeDescription, sitesOf } from './site-result.ts';
import { SiteType, type SiteParent } from './site.ts';

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
    resolve: (_root, { host, url }) => siteParentOf(host ?? undefined, url ?? undefined),
  }),
  page: t.field({
    type: PageType,
    nullable: true,
    args: {
      url: t.arg.string({ required: true, description: urlDescription }),
      maxAge: t.arg.int({ description: siteMaxAgeDescription }),
    },
    resolve: async (_root, { url, maxAge }, context) => {
      const selected = { lookup: 'page', maxAge: validateMaxAge(maxAge) } as const;
      return pageOfVisit(await sitesOf(context).get(selected, parseSiteUrl(url)));
    },
  }),
}));

function siteParentOf(host: string | undefined, url: string | undefined): SiteParent {
  const target = parseSiteTarget(host, url);
  return { domain: target.host, refusal: null, ...(target.isExact && { page: target }) };
}
