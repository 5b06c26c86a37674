import { renderHead } from '../head.ts';
import { siteHeader } from '../site.ts';
import { markdownPath, pageGroups, pagePath, rootOf, type Guide } from './guides.ts';
import { html, trusted, type Html } from './html.ts';
import type { Content, Section } from './render.ts';

/** What the pages of a gateway have in common. */
export interface Layout {
  readonly guides: readonly Guide[];
  /** The paths of the files that pages load. */
  readonly files: {
    readonly icon: string;
    readonly styles: readonly string[];
    readonly scripts?: readonly string[];
    readonly modules: readonly string[];
  };
  /** Whether browsers get GraphiQL. */
  readonly graphiql: boolean;
  /** Whether clients may download the GraphQL schema. */
  readonly hasSchema: boolean;
}

/** Renders a whole page. Links are relative, so that they work behind a proxy that serves the gateway below a path. */
export function renderLayout(guide: Guide, { body, sections }: Content, layout: Layout): string {
  const { name, title, description } = guide;
  const root = rootOf(name);
  const path = (file: string) => `${root}${file.slice(1)}`;
  const { icon, styles, scripts = [], modules } = layout.files;
  const head = renderHead({
    title,
    description,
    markdown: path(markdownPath(name)),
    icon: path(icon),
    styles: styles.map(path),
    scripts: scripts.map(path),
    modules: modules.map(path),
  });
  // Scalar's own element is the `main` of the REST reference.
  const main = trusted(name === 'reference' ? 'div' : 'main');
  const links = { root, iconPath: icon, hasGraphiql: layout.graphiql };
  return html`<!doctype html>
    <html lang="en">
      ${head}
      <body>
        <a class="skip" href="#content">Skip to content</a>
        ${trusted(siteHeader('docs', links))}
        <div class="docs">
          <div class="docs-bar">
            <button type="button" popovertarget="docs-nav">Menu</button>
            <button type="button" class="open-search" hidden>Search docs <kbd>/</kbd></button>
          </div>
          <nav id="docs-nav" aria-label="Documentation" popover>
            ${renderNavigation(guide, layout)}
          </nav>
          <${main} id="content">
            <h1>${title}</h1>
            ${renderContents(sections)}
            <article>${body}</article>
            ${renderNeighbors(guide, layout)}
          </${main}>
        </div>
      </body>
    </html> `.html;
}

/** Renders the table of contents of a page, which is closed on narrow screens. */
function renderContents(sections: readonly Section[]): Html {
  if (sections.length === 0) return html``;
  const links = sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
  return html`<details class="contents">
    <summary>On this page</summary>
    <nav aria-label="On this page">
      <ul>
        ${links}
      </ul>
    </nav>
  </details>`;
}

/** Renders the links to all pages, by group. */
function renderNavigation(current: Guide, { guides, hasSchema }: Layout): Html {
  const root = rootOf(current.name);
  const link = ({ name, title }: Guide) =>
    html`<li>
      <a
        href="${root}${pagePath(name).slice(1)}"
        ${name === current.name ? html` aria-current="page"` : ''}
        >${title}</a
      >
    </li>`;
  const files = ['openapi.json', ...(hasSchema ? ['schema.graphql'] : [])];
  const downloads = files.map(
    (file) => html`<li><a href="${root}${file}" download>${file}</a></li>`,
  );
  const group = ([title, names]: [string, readonly string[]]) =>
    html`<p id="group-${title.toLowerCase()}">${title}</p>
      <ul aria-labelledby="group-${title.toLowerCase()}">
        ${guides.filter(({ name }) => names.includes(name)).map(link)}
        ${title === 'Reference' ? downloads : ''}
      </ul>`;
  return html`${Object.entries(pageGroups).map(group)}`;
}

/** Renders links to the pages before and after a page. */
function renderNeighbors(current: Guide, { guides }: Layout): Html {
  const index = guides.findIndex(({ name }) => name === current.name);
  const link = (guide: Guide | undefined, rel: string, label: string) =>
    guide
      ? html`<a rel="${rel}" href="${rootOf(current.name)}${pagePath(guide.name).slice(1)}"
          ><small>${label}</small> ${guide.title}</a
        >`
      : html`<span></span>`;
  return html`<nav class="neighbors" aria-label="Previous and next page">
    ${link(guides[index - 1], 'prev', 'Previous')}${link(guides[index + 1], 'next', 'Next')}
  </nav>`;
}
