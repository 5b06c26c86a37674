import { printable } from '../../../printable.ts';
import { isObject } from '../../../shapes.ts';
import { jsonObjectIn } from './json-object.ts';
import type { Detect } from './text-forms.ts';

/** A description of an MCP server, in one of the forms that were proposed: it names an endpoint. */
export const isMcpDescription: Detect = ({ text }) => {
  const object = mcpObjectIn(text);
  const endpoint = object && endpointIn(object);
  return endpoint && `MCP endpoint ${shorten(endpoint)}`;
};

/** The card of an MCP server: SEP-2127, or SEP-1649 with `serverInfo`. */
export const isServerCard: Detect = ({ text }) => {
  const card = mcpObjectIn(text);
  if (!card) return undefined;
  const name = nonEmpty(isObject(card['serverInfo']) ? card['serverInfo']['name'] : card['name']);
  const isCard =
    isObject(card['serverInfo']) ||
    (nonEmpty(card['version']) !== undefined && endpointIn(card) !== undefined) ||
    /server-card/.test(nonEmpty(card['$schema']) ?? '');
  return isCard && name !== undefined ? `server ${shorten(name)}` : undefined;
};

/** A catalogue of the resources for agents that lists a server card (SEP-2127). */
export const isServerCardCatalog: Detect = ({ text }) => {
  const type = 'application/mcp-server-card+json';
  const entries = objectsIn(jsonObjectIn(text)?.['entries']);
  return entries.some((entry) => entry['type'] === type || entry['mediaType'] === type)
    ? `entry of type ${type}`
    : undefined;
};

/** A set of links that is not empty (RFC 9727 section 4), which must have its own media type (RFC 9264). */
export const isApiCatalog: Detect = ({ mediaType, text }) => {
  const links = objectsIn(jsonObjectIn(text)?.['linkset']);
  return mediaType === 'application/linkset+json' && links.length > 0
    ? `contexts: ${links.length}`
    : undefined;
};

/** An index of agent skills. */
export const isSkillIndex: Detect = ({ text }) => {
  const skills = objectsIn(jsonObjectIn(text)?.['skills']).filter((skill) =>
    nonEmpty(skill['name']),
  );
  return skills.length > 0 ? `skills: ${skills.length}` : undefined;
};

/** The metadata of an authorization server: its issuer must be the site (RFC 8414 section 3.3). */
export const isAuthorizationServer: Detect = ({ url, text }) => {
  const issuer = nonEmpty(jsonObjectIn(text)?.['issuer']);
  return issuer && isOfSite(issuer, url) ? `issuer ${shorten(issuer)}` : undefined;
};

/** The metadata of a protected resource, which must be of the site (RFC 9728 section 3.3). */
export const isProtectedResource: Detect = ({ url, text }) => {
  const resource = nonEmpty(jsonObjectIn(text)?.['resource']);
  return resource && isOfSite(resource, url) ? `resource ${shorten(resource)}` : undefined;
};

/** The keys with which the bots of the site sign requests. Any media type of a JWK set is accepted. */
export const isKeyDirectory: Detect = ({ mediaType, text }) => {
  const keys = objectsIn(jsonObjectIn(text)?.['keys']).filter((key) => nonEmpty(key['kty']));
  return /[/+]json$/.test(mediaType) && keys.length > 0 ? `keys: ${keys.length}` : undefined;
};

/** Returns a JSON object, unless it is an error or the description of another kind of API. */
function mcpObjectIn(text: string): Record<string, unknown> | undefined {
  const object = jsonObjectIn(text);
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
