/** The parts of the site that its header links to. */
export type SitePart = 'search' | 'graphiql' | 'docs';

/** How a page refers to the rest of the site. */
export interface SiteLinks {
  /** Path from the page to `/`, such as `./` or `../`: absolute paths break behind a proxy with a path prefix. */
  readonly root: string;
  /** Path of `icon.svg`, which starts with `/`. */
  readonly iconPath: string;
  /** Whether browsers get GraphiQL. */
  readonly hasGraphiql: boolean;
}

/** Returns the HTML of the header that all pages share. Its style is in `site.css`. */
export function siteHeader(
  current: SitePart | undefined,
  { root, iconPath, hasGraphiql }: SiteLinks,
): string {
  const link = (part: SitePart, href: string, text: string) =>
    `<a href="${root}${href}"${part === current ? ' aria-current="page"' : ''}>${text}</a>`;
  const links = [
    link('search', '', 'Search'),
    ...(hasGraphiql ? [link('graphiql', 'graphql', 'GraphiQL')] : []),
    link('docs', 'docs', 'Docs'),
  ];
  return `<header class="site-header"><div>
<a class="site-name" href="${root}"><img src="${root}${iconPath.slice(1)}" width="24" height="24" alt="">RDAP Gateway</a>
<nav aria-label="Site">${links.join('\n')}</nav>
</div></header>`;
}
