import { printable } from '../../shared/printable.ts';
import { isObject, jsonIn } from '../../shared/shapes.ts';
import type { AgentSignalName } from './agent-signals.ts';

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
type Detect = (content: ProbeContent) => string | undefined;

/** Detects an OpenAPI or Swagger document, in JSON or YAML. */
const detectOpenApi: Detect = ({ mediaType, text }) => {
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
const detectLlmsTxt: Detect = (content) => {
  if (!['text/plain', 'text/markdown', ''].includes(content.mediaType)) return undefined;
  const heading = isHtml(content.mediaType, content.text) ? undefined : headingIn(content.text);
  return heading && `heading: ${heading}`;
};

/** Detects a home page in Markdown: only the media type shows that it was converted. */
const detectMarkdownPage: Detect = ({ mediaType, text }) =>
  mediaType === 'text/markdown' && text.trim() !== '' && !isHtml(mediaType, text)
    ? mediaType
    : undefined;

/** Detects a Markdown file. As plain text, it must start with a heading of level 1. */
const detectMarkdownFile: Detect = (content) =>
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
function parseJsonObject(text: string): Record<string, unknown> | undefined {
  const value = /^\s{0,1000}\{/.test(text) ? jsonIn(text) : undefined;
  return isObject(value) ? value : undefined;
}

/** Detects a description of an MCP server, in one of the proposed forms: it names an endpoint. */
const detectMcpDescription: Detect = ({ text }) => {
  const object = mcpObjectIn(text);
  const endpoint = object && endpointIn(object);
  return endpoint && `MCP endpoint ${shorten(endpoint)}`;
};

/** Detects the card of an MCP server: SEP-2127, or SEP-1649 with `serverInfo`. */
const detectServerCard: Detect = ({ text }) => {
  const card = mcpObjectIn(text);
  if (!card) return undefined;

  const name = nonEmpty(isObject(card['serverInfo']) ? card['serverInfo']['name'] : card['name']);
  const isCard =
    isObject(card['serverInfo']) ||
    (nonEmpty(card['version']) !== undefined && endpointIn(card) !== undefined) ||
    /server-card/.test(nonEmpty(card['$schema']) ?? '');

  return isCard && name !== undefined ? `server ${shorten(name)}` : undefined;
};

/** Detects a catalogue of resources for agents that lists a server card (SEP-2127). */
const detectServerCardCatalog: Detect = ({ text }) => {
  const type = 'application/mcp-server-card+json';
  const entries = objectsIn(parseJsonObject(text)?.['entries']);
  return entries.some((entry) => entry['type'] === type || entry['mediaType'] === type)
    ? `entry of type ${type}`
    : undefined;
};

/** Detects a linkset with links (RFC 9727 section 4). It must have the media type of RFC 9264. */
const detectApiCatalog: Detect = ({ mediaType, text }) => {
  const links = objectsIn(parseJsonObject(text)?.['linkset']);
  return mediaType === 'application/linkset+json' && links.length > 0
    ? `contexts: ${links.length}`
    : undefined;
};

/** Detects an index of agent skills. */
const detectSkillIndex: Detect = ({ text }) => {
  const skills = objectsIn(parseJsonObject(text)?.['skills']).filter((skill) =>
    nonEmpty(skill['name']),
  );
  return skills.length > 0 ? `skills: ${skills.length}` : undefined;
};

/** Detects the metadata of an authorization server, whose issuer is the site (RFC 8414 section 3.3). */
const detectAuthorizationServer: Detect = ({ url, text }) => {
  const issuer = nonEmpty(parseJsonObject(text)?.['issuer']);
  return issuer && isOfSite(issuer, url) ? `issuer ${shorten(issuer)}` : undefined;
};

/** Detects the metadata of a protected resource of the site (RFC 9728 section 3.3). */
const detectProtectedResource: Detect = ({ url, text }) => {
  const resource = nonEmpty(parseJsonObject(text)?.['resource']);
  return resource && isOfSite(resource, url) ? `resource ${shorten(resource)}` : undefined;
};

/** Detects the keys with which the bots of the site sign requests, of any media type of a JWK set. */
const detectKeyDirectory: Detect = ({ mediaType, text }) => {
  const keys = objectsIn(parseJsonObject(text)?.['keys']).filter((key) => nonEmpty(key['kty']));
  return /[/+]json$/.test(mediaType) && keys.length > 0 ? `keys: ${keys.length}` : undefined;
};

/** Returns a JSON object, unless it is an error or the description of another kind of API. */
function mcpObjectIn(text: string): Record<string, unknown> | undefined {
  const object = parseJsonObject(text);
  return object && !['error', 'openapi', 'swagger'].some((key) => key in object)
    ? object
    : undefined;
}

/** Returns whether a text is an `https:` URL with the host of a site. */
function isOfSite(text: string, { host }: URL): boolean {
  const url = URL.parse(text);
  return url !== null && url.protocol === 'https:' && url.host === host;
}

/** Returns the first absolute URL of an endpoint. */
function endpointIn(object: Record<string, unknown>): string | undefined {
  const { transport, endpoints, endpoint } = object;
  const lists = [object['remotes'], object['servers'], object['transports']].flatMap(objectsIn);
  const candidates = [
    endpoint,
    isObject(endpoints) ? (endpoints['streamable_http'] ?? endpoints['jsonrpc']) : undefined,
    isObject(transport) ? (transport['endpoint'] ?? transport['url']) : undefined,
    ...lists.flatMap((each) => [each['url'], each['endpoint']]),
  ];

  return candidates.map(nonEmpty).find((text) => text !== undefined && isAbsolute(text));
}

function isAbsolute(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function objectsIn(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function shorten(text: string): string {
  return printable(text.slice(0, 200));
}

/** A request that may detect a signal. */
export interface Probe {
  readonly path: string;
  /** The media types that are accepted. */
  readonly accept: string;
  /** Returns the evidence that a successful response contains; undefined if there is none. */
  readonly detect: Detect;
}

const json = 'application/json, */*;q=0.1';
const text = 'text/markdown, text/plain, */*;q=0.1';
const linkset = 'application/linkset+json';
const keyDirectory = 'application/http-message-signatures-directory+json';
const skills = ['/.well-known/agent-skills/index.json', '/.well-known/skills/index.json'];
const serverCards = [
  '/.well-known/mcp/server-card.json',
  '/.well-known/mcp-server-card',
  '/mcp/server-card',
];

/**
 * The requests of each signal, in the order in which they are sent until one detects it. Sources:
 * SEP-1649 and SEP-2127 (MCP), RFC 9727 (API catalogues), RFC 8414 and RFC 9728 (OAuth),
 * the draft on directories of HTTP message signatures, version 0.2.0 of Agent Skills Discovery and its
 * predecessor, llmstxt.org and agents.md.
 */
export const probes: Readonly<Record<Exclude<AgentSignalName, 'webmcp'>, readonly Probe[]>> = {
  remote_mcp: at(['/.well-known/mcp.json', '/.well-known/mcp'], json, detectMcpDescription),
  openapi: [
    ...at(['/openapi.json', '/.well-known/openapi.json'], json, detectOpenApi),
    ...at(['/openapi.yaml'], 'application/yaml, */*;q=0.1', detectOpenApi),
  ],
  llms_txt: at(['/llms.txt'], text, detectLlmsTxt),
  api_catalog: at(['/.well-known/api-catalog'], linkset, detectApiCatalog),
  mcp_server_card: [
    ...at(serverCards, json, detectServerCard),
    ...at(['/.well-known/ai-catalog.json'], json, detectServerCardCatalog),
  ],
  agent_skills: at(skills, json, detectSkillIndex),
  oauth: [
    ...at(['/.well-known/oauth-authorization-server'], json, detectAuthorizationServer),
    ...at(['/.well-known/oauth-protected-resource'], json, detectProtectedResource),
  ],
  markdown: at(['/'], 'text/markdown', detectMarkdownPage),
  web_bot_auth: at(
    ['/.well-known/http-message-signatures-directory'],
    keyDirectory,
    detectKeyDirectory,
  ),
  sitemap_markdown: at(['/sitemap.md'], text, detectMarkdownFile),
  agent_guide: at(['/AGENTS.md', '/agents.md'], text, detectMarkdownFile),
};

/** Returns the requests for some paths. */
function at(paths: readonly string[], accept: string, detect: Detect): readonly Probe[] {
  return paths.map((path) => ({ path, accept, detect }));
}

/** The number of requests if no signal is detected. */
export const maxProbes = Object.values(probes).flat().length;
