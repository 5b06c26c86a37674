import { toUnicodeName } from '../../src/domain/domain-name.ts';
import { validateMaxAge } from '../../src/domain/parsed-name.ts';
import { Problem } from '../../src/domain/problems.ts';
import { parseSiteHost, parseSiteUrl } from '../../src/domain/site/site-target.ts';
import { builder } from '../builder.ts';
import { pageOfVisit, PageType } from './page.ts';
import { siteMaxAgeDescription } from './site-result.ts';
import { SiteType, type SiteParent } from './site.ts';

const HostType = builder.objectRef<SiteParent>('Host').implement({
  interfaces: [SiteType],
  description: 'A host name, such as `www.example.com`, without its registration.',
  fields: (t) => ({
    name: t.exposeString('domain', { description: 'The name in A-labels and lower case.' }),
    unicodeName: t.string({
      description: 'The name for display, such as `bücher.test`.',
      resolve: ({ domain }) => toUnicodeName(domain),
    }),
  }),
});

const urlDescription =
  'An `http:` or `https:` URL of a host name, with the default port and without user name and password.';

builder.queryFields((t) => ({
  site: t.field({
    type: HostType,
    nullable: true,
    description: 'A site, by its host name or by the URL of a page; exactly one is required.',
    args: {
      host: t.arg.string({ description: 'A host name, such as `www.example.com`.' }),
      url: t.arg.string({
        description: `${urlDescription} \`page\`, \`agentSignals\`, \`technologies\` and \`categories\` then read this page instead of the home page.`,
      }),
    },
    resolve: (_root, { host, url }) => siteOf(host ?? undefined, url ?? undefined),
  }),
  page: t.field({
    type: PageType,
    nullable: true,
    description: 'What a page declares.',
    args: {
      url: t.arg.string({ required: true, description: urlDescription }),
      maxAge: t.arg.int({ description: siteMaxAgeDescription }),
    },
    resolve: async (_root, { url, maxAge }, { lookup: { sites } }) => {
      const query = { target: parseSiteUrl(url) };
      return pageOfVisit(await sites.get('page', query, validateMaxAge(maxAge)));
    },
  }),
}));

function siteOf(host: string | undefined, url: string | undefined): SiteParent {
  if ((host === undefined) === (url === undefined))
    throw new Problem('invalid_parameter', 'Pass either `host` or `url`.', { param: 'host' });
  const target = url === undefined ? parseSiteHost(host ?? '') : parseSiteUrl(url);
  return { domain: target.host, refusal: null, ...(url !== undefined && { page: target }) };
}
