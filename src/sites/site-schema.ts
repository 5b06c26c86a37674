import { toUnicodeName } from '../domain/domain-name.ts';
import type { Context } from '../execution/context.ts';
import type { Problem } from '../domain/problems.ts';
import { certificatePageSizes, pageRequestOf, subdomainPageSizes } from './pages.ts';
import { listedRobots } from './robots/robots-file.ts';
import { parseSiteHost, parseSiteTarget, parseSiteUrl, type SiteTarget } from './site-target.ts';
import { tlsProfileOf, type TlsProfile } from './tls/tls-scan.ts';
import type { SiteData, SiteLookup } from './lookups.ts';
import { mapOutcome, refusedOutcome, type Outcome } from '../domain/outcome.ts';
import { builder } from '../schema/builder.ts';
import { domainInterfaces } from '../schema/domain.ts';
import { AgentSignalsType } from './agent-signals/agent-signals-schema.ts';
import { categoriesOfVisit, CategoriesType } from './page/categories-schema.ts';
import { certificatePageOf, CertificatesType } from './certificates/certificates-schema.ts';
import { DisposableMailType } from './mail/disposable-mail-schema.ts';
import { DnsType, ForSaleType } from './dns/dns-schema.ts';
import { identityOfVisit, IdentityType } from './page/identity-schema.ts';
import { pageOfVisit, PageType } from './page/page-schema.ts';
import { RobotsType } from './robots/robots-schema.ts';
import { siteMaxAgeDescription, sitesOf, withProblemOfData } from './site-result.ts';
import { subdomainsIn, SubdomainsType } from './certificates/subdomains-schema.ts';
import { technologiesOf, TechnologiesType } from './tech/tech-schema.ts';
import { TlsProfileType, TlsType } from './tls/tls-schema.ts';

interface SiteParent {
  /** The host name in A-labels; an entry that is not a name is unmodified. */
  readonly domain: string;
  /** Why nothing is read about it; null for a valid name. */
  readonly refusal: Problem | null;
  /** The page that the caller named, for the lookups about a page; the home page by default. */
  readonly page?: SiteTarget;
}

const SiteType = builder.interfaceRef<SiteParent>('Site');

const maxAgeArg = builder.args((t) => ({ maxAge: t.int({ description: siteMaxAgeDescription }) }));

/** Runs a lookup of a site, with the maximum age in the plan. */
function lookUp<L extends SiteLookup>(
  lookup: L,
  { domain, refusal, page }: SiteParent,
  context: Context,
  profile?: TlsProfile,
): Promise<Outcome<SiteData<L>>> {
  if (refusal) return Promise.resolve(refusedOutcome(refusal));
  return sitesOf(context).get({ lookup, profile }, page ?? parseSiteHost(domain));
}

/** Returns the options of a field with the result of a lookup, in the form that `read` returns. */
function resultOf<L extends SiteLookup, R>(
  lookup: L,
  read: (outcome: Outcome<SiteData<L>>) => Outcome<R>,
) {
  const resolve = async (site: SiteParent, _args: object, context: Context) =>
    read(await lookUp(lookup, site, context));
  return { args: maxAgeArg, resolve };
}

domainInterfaces.push(SiteType);

SiteType.implement({
  fields: (t) => ({
    robots: t.field({
      type: RobotsType,
      ...resultOf('robots', (outcome) => mapOutcome(outcome, listedRobots)),
    }),
    tls: t.field({
      type: TlsType,
      args: {
        profile: t.arg({ type: TlsProfileType, defaultValue: 'STANDARD', required: true }),
        ...maxAgeArg,
      },
      resolve: (site, { profile }, context) => lookUp('tls', site, context, tlsProfileOf(profile)),
    }),
    dns: t.field({
      type: DnsType,
      args: maxAgeArg,
      resolve: async (site, args, context) => ({
        ...(await lookUp('dns', site, context)),
        maxAge: args.maxAge ?? context.lookup.maxAgeOf({ id: site.domain }),
      }),
    }),
    forSale: t.field({ type: ForSaleType, ...resultOf('forSale', (outcome) => outcome) }),
    disposableMail: t.field({
      type: DisposableMailType,
      nullable: true,
      resolve: ({ domain, refusal }, _args, context) =>
        refusal ? null : sitesOf(context).disposableMail.find(domain),
    }),
    page: t.field({ type: PageType, ...resultOf('page', pageOfVisit) }),
    identity: t.field({ type: IdentityType, ...resultOf('identity', identityOfVisit) }),
    agentSignals: t.field({
      type: AgentSignalsType,
      ...resultOf('agentSignals', withProblemOfData),
    }),
    technologies: t.field({ type: TechnologiesType, ...resultOf('technologies', technologiesOf) }),
    categories: t.field({ type: CategoriesType, ...resultOf('categories', categoriesOfVisit) }),
    certificates: t.field({
      type: CertificatesType,
      args: {
        first: t.arg.int({
          description: `Number of certificates, from 1 to ${certificatePageSizes.max}. The default is ${certificatePageSizes.default}.`,
        }),
        after: t.arg.string(),
        includeSubdomains: t.arg.boolean({ defaultValue: true, required: true }),
        includeExpired: t.arg.boolean({ defaultValue: false, required: true }),
        ...maxAgeArg,
      },
      resolve: async (site, { first, after, ...filter }, context) => {
        const request = pageRequestOf(first ?? certificatePageSizes.default, after);
        const outcome = await lookUp('certificates', site, context);
        const now = sitesOf(context).now();
        return certificatePageOf(outcome, { ...filter, host: site.domain, now }, request);
      },
    }),
    subdomains: t.field({
      type: SubdomainsType,
      args: {
        first: t.arg.int({
          description: `Maximum number of names, from 1 to ${subdomainPageSizes.max}. The default is ${subdomainPageSizes.default}.`,
        }),
        includeWildcards: t.arg.boolean({ defaultValue: false, required: true }),
        ...maxAgeArg,
      },
      resolve: async (site, { first, includeWildcards }, context) => {
        const limit = first ?? subdomainPageSizes.default;
        const outcome = await lookUp('subdomains', site, context);
        return subdomainsIn(outcome, site.domain, { includeWildcards, limit });
      },
    }),
  }),
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
    type: PageType,
    nullable: true,
    args: {
      url: t.arg.string({ required: true, description: urlDescription }),
      maxAge: t.arg.int({ description: siteMaxAgeDescription }),
    },
    resolve: async (_root, { url }, context) =>
      pageOfVisit(await sitesOf(context).get({ lookup: 'page' }, parseSiteUrl(url))),
  }),
}));
