import type { JsonObject } from '../../domain/registration.ts';
import { renderHead, siteHeader } from '../site.ts';
import {
  markdownPath,
  pageAddress,
  pageGroups,
  pagePath,
  rootOf,
  withAddresses,
  type Guide,
} from './guides.ts';
import { html, trusted, type Html } from './html.ts';
import { renderMarkdown, type PageContent, type Section } from './render.ts';

/** The gateway that serves the pages, and what they have in common. */
interface Subject {
  readonly baseUrl: string;
  readonly docsUrl: string;
  readonly guides: readonly Guide[];
  readonly files: {
    readonly icon: string;
    readonly styles: readonly string[];
    readonly scripts?: readonly string[];
    readonly modules: readonly string[];
  };
  readonly graphiql: boolean;
  /** Whether clients may download the GraphQL schema. */
  readonly hasSchema: boolean;
}

/**
 * Renders a guide as a page, with its text unless there is other content. Links are relative, so
 * that they work behind a proxy that serves the gateway below a path.
 */
export function renderPage(
  guide: Guide,
  subject: Subject,
  { body, sections } = contentOf(guide, subject),
): string {
  const { name, title, description } = guide;
  const root = rootOf(name);
  const path = (file: string) => `${root}${file.slice(1)}`;
  const { icon, styles, scripts = [], modules } = subject.files;
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
  const links = { root, iconPath: icon, hasGraphiql: subject.graphiql };
  const page = html`<!doctype html>
    <html lang="en">
      ${head}
      <body>
        <a class="skip" href="#content">Skip to content</a>
        ${siteHeader('docs', links)}
        <div class="docs">
          <div class="docs-bar">
            <button type="button" popovertarget="docs-nav">Menu</button>
            <button type="button" class="open-search" hidden>Search docs <kbd>/</kbd></button>
          </div>
          <nav id="docs-nav" aria-label="Documentation" popover>
            ${renderNavigation(guide, subject)}
          </nav>
          <${main} id="content">
            <h1>${title}</h1>
            ${renderContents(sections)}
            <article>${body}</article>
            ${renderNeighbors(guide, subject)}
          </${main}>
        </div>
      </body>
    </html> `;

  return withAddresses(page.html, subject);
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

function renderNavigation(current: Guide, { guides, hasSchema }: Subject): Html {
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

function renderNeighbors(current: Guide, { guides }: Subject): Html {
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

/** Returns the content of the page on which Scalar shows the OpenAPI document and sends requests. */
export function referenceContent(openapi: JsonObject): PageContent {
  const body = html`<div id="reference"></div>
    <noscript>
      The reference needs JavaScript. <a href="../openapi.json">openapi.json</a> contains the same
      information.
    </noscript>`;
  const operations = Object.entries(openapi['paths'] ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as JsonObject).map(([method, operation]): Section => {
      const [tag = ''] = (operation as { readonly tags?: readonly string[] }).tags ?? [];
      // The anchors are those of Scalar.
      const id = `tag/${tag.toLowerCase()}/${method.toUpperCase()}${path}`;
      return { id, title: html`${path}` };
    }),
  );

  return { body, sections: operations };
}

/**
 * Returns the index of all pages but the REST reference, whose page has other anchors: their sections
 * as JSON, for `search.js`.
 */
export function renderSearchIndex(subject: Subject): string {
  const guides = subject.guides.filter(({ name }) => name !== 'reference');
  const entries = guides.flatMap((guide) => entriesOf(guide, contentOf(guide, subject)));
  return withAddresses(JSON.stringify(entries), subject);
}

function contentOf(guide: Guide, { hasSchema }: Subject): PageContent {
  return renderMarkdown(guide.text, (href) => pageAddress(href, guide, hasSchema));
}

/** Returns the sections of a page that can be found. */
function entriesOf({ name, title }: Guide, { body }: PageContent) {
  const parts = body.html.split(/(?=<h[23] id=")/);
  return parts.map((part) => {
    const [, id] = /^<h[23] id="([^"]+)"/.exec(part) ?? [];
    const [all = '', heading = ''] = /<h[23][^>]*>(.*?)<\/h[23]>/s.exec(part) ?? [];

    return {
      // Below `/docs`, with the anchor of the section.
      path: `${name && '/'}${name}${id === undefined ? '' : `#${id}`}`,
      page: title,
      heading: textOf(heading),
      text: textOf(part.replace(all, '')),
    };
  });
}

/** Returns the text of HTML that this gateway rendered. */
function textOf(rendered: string): string {
  return rendered
    .replaceAll(/<legend>.*?<\/legend>|<label[^>]*>.*?<\/label>/gs, ' ')
    .replaceAll(/<\/?(?:code|span|a|strong|em)\b[^>]*>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll(/&#(?:39|x27);/g, "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
