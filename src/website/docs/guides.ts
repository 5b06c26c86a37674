import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import table from './page-groups.json' with { type: 'json' };

/**
 * The names of all pages below `/docs` in reading order, by the title of their group. The page
 * without a name is `/docs` itself.
 */
export const pageGroups: Readonly<Record<string, readonly string[]>> = table;

/** The Markdown file of each page, by its name. */
export const guideFiles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(pageGroups).flatMap((names) => names.map((name) => [name, fileOf(name)])),
);

function fileOf(name: string): string {
  if (name === 'changelog') return 'CHANGELOG.md';
  return `docs/${table.Reference.includes(name) ? 'reference/' : ''}${name || 'README'}.md`;
}

/** The path of the GraphQL schema. */
export const schemaPath = '/schema.graphql';

/** The paths of all files that guides link to and that the gateway serves. */
const servedFiles = new Map([
  ...Object.entries(guideFiles).map(([name, file]) => [file, pagePath(name)] as const),
  ['schema/openapi.json', '/openapi.json'],
  ['schema/schema.graphql', schemaPath],
]);

/** The address of a gateway with default settings, which examples and the OpenAPI document contain. */
export const printedBaseUrl = 'http://127.0.0.1:4000';

const projectFolder = new URL('../../../', import.meta.url);

export interface Guide {
  /** The name of its page. */
  readonly name: string;
  readonly title: string;
  /** One sentence for search engines and link previews. */
  readonly description: string;
  readonly file: string;
  readonly text: string;
}

/** Reads all guides. Throws if a file is missing. */
export function readGuides(): readonly Guide[] {
  return Object.entries(guideFiles).map(([name, file]) => {
    const text = readFileSync(new URL(file, projectFolder), 'utf8');
    const title = /^# (.+)/.exec(text)?.[1] ?? name;

    return {
      name,
      title,
      description: descriptionIn(text) ?? `${title} of RDAP Gateway.`,
      file,
      text,
    };
  });
}

/** Returns the first sentence below the title, without Markdown. */
function descriptionIn(text: string): string | undefined {
  const [, sentence] = /^# .+\n\n([\w`].*?\.)(?:\s|$)/.exec(text) ?? [];
  return sentence?.replaceAll(/[`*[]|\]\([^)]*\)/g, '');
}

/** Replaces the default addresses in a guide or the OpenAPI document with those of this gateway. */
export function withAddresses(
  text: string,
  { baseUrl, docsUrl }: { readonly baseUrl: string; readonly docsUrl: string },
): string {
  return text
    .replaceAll(`${printedBaseUrl}/docs`, () => docsUrl)
    .replaceAll(printedBaseUrl, () => baseUrl);
}

export function pagePath(name: string): string {
  return `/docs${name && '/'}${name}`;
}

/** Returns the path of the Markdown of a page. */
export function markdownPath(name: string): string {
  return `${pagePath(name)}.md`;
}

/** Returns the path from a page to `/`: absolute paths break behind a proxy with a path prefix. */
export function rootOf(name: string): string {
  return name === '' ? './' : '../';
}

/**
 * Returns the address for a link in a guide, relative to its page. Returns undefined for a file of
 * the repository that the gateway does not serve; without `hasSchema`, the GraphQL schema is one.
 */
export function pageAddress(
  href: string,
  { name, file }: Guide,
  hasSchema: boolean,
): string | undefined {
  if (/^(?:#|\w+:)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = servedFiles.get(posix.join(posix.dirname(file), path));
  if (target === undefined || (target === schemaPath && !hasSchema)) return undefined;
  return `${rootOf(name)}${target.slice(1)}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Returns a guide with absolute links to the Markdown of other pages. */
export function markdownOf(guide: Guide, hasSchema: boolean): string {
  const link = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;
  const parts = guide.text.split(/(^```[^]*?^```)/m);
  const replaced = parts.map((part, index) =>
    // The odd parts are blocks of code.
    index % 2 === 1
      ? part
      : part.replaceAll(link, (_all, image: string, label: string, href: string) => {
          const target = pageAddress(href, guide, hasSchema);
          return target === undefined ? label : `${image}[${label}](${absolute(target, guide)})`;
        }),
  );

  return replaced.join('');
}

/** Returns an absolute link, with the printed address. Pages are linked as Markdown. */
function absolute(href: string, { name }: Guide): string {
  const url = new URL(href, `${printedBaseUrl}${pagePath(name)}`);
  const isPage = url.origin === printedBaseUrl && /^\/docs(?:\/|$)/.test(url.pathname);
  if (isPage) url.pathname += '.md';
  return url.href;
}
