import { printable } from '../../shared/printable.ts';
import { isObject } from '../../shared/shapes.ts';
import { parseJsonObject } from './parse-json-object.ts';
import type { Detect } from './text-forms.ts';

/** Detects a description of an MCP server, in one of the proposed forms: it names an endpoint. */
export const detectMcpDescription: Detect = ({ text }) => {
  const object = mcpObjectIn(text);
  const endpoint = object && endpointIn(object);
  return endpoint && `MCP endpoint ${shorten(endpoint)}`;
};

/** Detects the card of an MCP server: SEP-2127, or SEP-1649 with `serverInfo`. */
export const detectServerCard: Detect = ({ text }) => {
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
export const detectServerCardCatalog: Detect = ({ text }) => {
  const type = 'application/mcp-server-card+json';
  const entries = objectsIn(parseJsonObject(text)?.['entries']);
  return entries.some((entry) => entry['type'] === type || entry['mediaType'] === type)
    ? `entry of type ${type}`
    : undefined;
};

/** Detects a linkset with links (RFC 9727 section 4). It must have the media type of RFC 9264. */
export const detectApiCatalog: Detect = ({ mediaType, text }) => {
  const links = objectsIn(parseJsonObject(text)?.['linkset']);
  return mediaType === 'application/linkset+json' && links.length > 0
    ? `contexts: ${links.length}`
    : undefined;
};

/** Detects an index of agent skills. */
export const detectSkillIndex: Detect = ({ text }) => {
  const skills = objectsIn(parseJsonObject(text)?.['skills']).filter((skill) =>
    nonEmpty(skill['name']),
  );
  return skills.length > 0 ? `skills: ${skills.length}` : undefined;
};

/** Detects the metadata of an authorization server, whose issuer is the site (RFC 8414 section 3.3). */
export const detectAuthorizationServer: Detect = ({ url, text }) => {
  const issuer = nonEmpty(parseJsonObject(text)?.['issuer']);
  return issuer && isOfSite(issuer, url) ? `issuer ${shorten(issuer)}` : undefined;
};

/** Detects the metadata of a protected resource of the site (RFC 9728 section 3.3). */
export const detectProtectedResource: Detect = ({ url, text }) => {
  const resource = nonEmpty(parseJsonObject(text)?.['resource']);
  return resource && isOfSite(resource, url) ? `resource ${shorten(resource)}` : undefined;
};

/** Detects the keys with which the bots of the site sign requests, of any media type of a JWK set. */
export const detectKeyDirectory: Detect = ({ mediaType, text }) => {
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
