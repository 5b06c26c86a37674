import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** The Markdown file of each guide, by the name of its page below `/docs`, in navigation order. */
export const guideFiles: Readonly<Record<string, string>> = {
  'getting-started': 'docs/getting-started.md',
  'graphql-guide': 'docs/graphql-guide.md',
  objects: 'docs/objects.md',
  'site-lookups': 'docs/site-lookups.md',
  'front-end-guide': 'docs/front-end-guide.md',
  'rest-api': 'docs/rest-api.md',
  'rdap-endpoint': 'docs/rdap-endpoint.md',
  mcp: 'docs/mcp.md',
  'command-line': 'docs/command-line.md',
  'npm-package': 'docs/npm-package.md',
  configuration: 'docs/configuration.md',
  operations: 'docs/operations.md',
  reliability: 'docs/reliability.md',
  architecture: 'docs/architecture.md',
  benchmarks: 'docs/benchmarks.md',
  changelog: 'CHANGELOG.md',
};

const pageNames = new Map(Object.entries(guideFiles).map(([name, file]) => [file, name]));

/** The address of a gateway with default settings. The guides and the OpenAPI document link to it. */
export const printedBaseUrl = 'http://127.0.0.1:4000';

const projectFolder = new URL('../../../../', import.meta.url);

/** A guide as Markdown. */
export interface Guide {
  /** The name of its page below `/docs`. */
  readonly name: string;
  readonly title: string;
  /** One sentence. */
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
  const [, sentence] = /^# .+\n\n(\w.*?[.:])(?:\s|$)/.exec(text) ?? [];
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

/**
 * Returns the address for a link in a guide, relative to a page below `/docs`. Returns undefined for
 * a file of the repository that is not a guide.
 */
export function pageAddress(href: string, file: string): string | undefined {
  if (href.startsWith('#')) return href;
  if (href.startsWith(`${printedBaseUrl}/`)) return `../${href.slice(printedBaseUrl.length + 1)}`;
  if (/^\w+:/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const name = pageNames.get(posix.join(posix.dirname(file), path));
  return name && `../docs/${name}${anchor === undefined ? '' : `#${anchor}`}`;
}
