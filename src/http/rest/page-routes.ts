import { lowerCase, membersOf, siteRoute, type SiteResult } from './site-route.ts';

interface Category {
  readonly category: string;
  readonly subcategory: string;
  readonly source: string;
}

interface Technology {
  readonly version: string | null;
}

/** `GET /v1/url-intelligence`: what a page declares. */
export const urlIntelligenceRoute = siteRoute<object>({
  path: '/v1/url-intelligence',
  target: 'url',
  bodyOf: (result) => ({ ...membersOf(result), fetch_state: lowerCase(result.fetch_state) }),
});

/** `GET /v1/tech`: the products that a page shows that it uses. */
export const technologiesRoute = siteRoute<{ readonly technologies: readonly Technology[] }>({
  path: '/v1/tech',
  target: 'domain or url',
  bodyOf: (result) => ({
    ...membersOf(result),
    technologies: result.technologies.map(({ version, ...technology }) => ({
      ...technology,
      ...(version !== null && { version }),
    })),
  }),
});

/** `GET /v1/categorize`: the categories that a page declares. */
export const categoriesRoute = siteRoute<{ readonly categories: readonly Category[] }>({
  path: '/v1/categorize',
  target: 'domain or url',
  bodyOf: (result) => ({
    ...membersOf(result),
    primary_category: result.categories[0]?.category ?? null,
    categories: result.categories.map(({ category, subcategory, source }) => ({
      category,
      subcategory,
      signals: [source],
    })),
  }),
});

interface Robots extends SiteResult {
  readonly access: string | null;
}

/** `GET /v1/robots`: the robots.txt of a site. */
export const robotsRoute = siteRoute<Robots>({
  path: '/v1/robots',
  target: 'domain',
  bodyOf: (result) => ({ ...membersOf(result), access: lowerCase(result.access) }),
});
