import { isObject, jsonIn } from '../../shared/shapes.ts';
import { printable } from '../../shared/printable.ts';

/** The content of a successful response. */
export interface ProbeContent {
  /** The URL that was requested. */
  readonly url: URL;
  /** Lower case, without parameters; empty if absent. */
  readonly mediaType: string;
  /** Without a byte order mark. */
  readonly text: string;
}

/** Returns the evidence that a response has an expected form; undefined if it does not have it. */
export type Detect = (content: ProbeContent) => string | undefined;

/** Detects an OpenAPI or Swagger document, in JSON or YAML. */
export const detectOpenApi: Detect = ({ mediaType, text }) => {
  const version = versionInJson(text) ?? versionInYaml(mediaType, text);
  return version && `OpenAPI ${printable(version)}`;
};

function versionInJson(text: string): string | undefined {
  const document = parseJsonObject(text);
  const version = document?.['openapi'] ?? document?.['swagger'];
  return typeof version === 'string' && versionForm.test(version) ? version : undefined;
}

const versionForm = /^[\d.]{1,20}$/;

function versionInYaml(mediaType: string, text: string): string | undefined {
  if (isHtml(mediaType, text)) return undefined;
  return /^(?:openapi|swagger):[ \t]{1,10}["']?([\d.]{1,20})["']?[ \t\r]{0,10}$/m.exec(
    text.slice(0, maxHeadLength),
  )?.[1];
}

/** Detects the index for language models of llmstxt.org, which starts with a heading of level 1. */
export const detectLlmsTxt: Detect = (content) => {
  if (!['text/plain', 'text/markdown', ''].includes(content.mediaType)) return undefined;
  const heading = isHtml(content.mediaType, content.text) ? undefined : headingIn(content.text);
  return heading && `heading: ${heading}`;
};

/** Detects a home page in Markdown: only the media type shows that it was converted. */
export const detectMarkdownPage: Detect = ({ mediaType, text }) =>
  mediaType === 'text/markdown' && text.trim() !== '' && !isHtml(mediaType, text)
    ? mediaType
    : undefined;

/** Detects a Markdown file. As plain text, it must start with a heading of level 1. */
export const detectMarkdownFile: Detect = (content) =>
  detectMarkdownPage(content) ?? detectLlmsTxt(content);

const maxHeadLength = 10_000;

function headingIn(text: string): string | undefined {
  const [, heading] = /^\s*# (.{1,100})/.exec(text.slice(0, maxHeadLength)) ?? [];
  return heading === undefined ? undefined : printable(heading.trim());
}

/** Returns whether a response is a page: many sites answer unknown paths with one and status 200. */
function isHtml(mediaType: string, text: string): boolean {
  if (/^(?:text\/html|application\/xhtml)/.test(mediaType)) return true;
  return /^\s{0,1000}<(?:!doctype|html|head|body|\?xml|!--)/i.test(text);
}

/** Parses a text that is a JSON object. Returns undefined for anything else. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  const value = /^\s{0,1000}\{/.test(text) ? jsonIn(text) : undefined;
  return isObject(value) ? value : undefined;
}
