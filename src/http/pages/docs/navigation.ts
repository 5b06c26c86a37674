import { html, type Html } from './html.ts';
import type { Layout, PageLink } from './page.ts';

/** The pages that are not guides. */
export const generatedPages: readonly PageLink[] = [
  { name: '', title: 'Overview' },
  { name: 'reference', title: 'REST reference' },
  { name: 'errors', title: 'Errors' },
  { name: 'metrics', title: 'Metrics' },
  { name: 'versioning', title: 'Versioning' },
];

/** The names of all pages in reading order, by the title of their group. */
export const pageGroups: Readonly<Record<string, readonly string[]>> = {
  Start: ['', 'getting-started'],
  Build: [
    'graphql-guide',
    'objects',
    'site-lookups',
    'front-end-guide',
    'rest-api',
    'rdap-endpoint',
    'mcp',
    'command-line',
    'npm-package',
  ],
  Reference: ['reference', 'errors', 'versioning', 'changelog'],
  Operate: ['configuration', 'operations', 'metrics', 'reliability'],
  Project: ['architecture', 'benchmarks'],
};

/** Renders the links to all pages, by group. */
export function renderNavigation(current: string, root: string, layout: Layout): Html {
  const pages = new Map(layout.pages.map((page) => [page.name, page]));
  const link = (name: string) => {
    const href = `${root}docs${name && '/'}${name}`;
    return html`<li>
      <a href="${href}" ${name === current ? html` aria-current="page"` : ''}
        >${pages.get(name)?.title ?? ''}</a
      >
    </li>`;
  };
  const group = ([title, names]: [string, readonly string[]]) =>
    html`<p id="group-${title.toLowerCase()}">${title}</p>
      <ul aria-labelledby="group-${title.toLowerCase()}">
        ${names.filter((name) => pages.has(name)).map(link)}
        ${title === 'Reference' ? downloads(root, layout) : ''}
      </ul>`;
  return html`${Object.entries(pageGroups).map(group)}`;
}

function downloads(root: string, { hasSchema }: Layout): Html {
  const files = ['openapi.json', ...(hasSchema ? ['schema.graphql'] : [])];
  return html`${files.map((file) => html`<li><a href="${root}${file}" download>${file}</a></li>`)}`;
}

/** Renders links to the pages before and after a page. */
export function renderNeighbors(current: string, root: string, { pages }: Layout): Html {
  const names = Object.values(pageGroups).flat();
  const index = names.indexOf(current);
  const link = (name: string | undefined, rel: string, label: string) => {
    const page = pages.find((each) => each.name === name);
    return page
      ? html`<a rel="${rel}" href="${root}docs${page.name && '/'}${page.name}"
          ><small>${label}</small> ${page.title}</a
        >`
      : html`<span></span>`;
  };
  return html`<nav class="neighbors" aria-label="Previous and next page">
    ${link(names[index - 1], 'prev', 'Previous')}${link(names[index + 1], 'next', 'Next')}
  </nav>`;
}
