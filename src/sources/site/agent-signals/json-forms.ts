import { printable } from '../../../printable.ts';
import { isObject } from '../../../shapes.ts';
import { jsonObjectIn } from './json-object.ts';
import type { Detect } from './text-forms.ts';

/** A description of an MCP server, in one of the forms that were proposed: it names an endpoint. */
export const isMcpDescription: Detect = ({ text }) => {
  const object = jsonObjectIn(text);
  const endpoint = object && endpointIn(object);
  return endpoint && `MCP endpoint ${shorten(endpoint)}`;
};

/** The card of an MCP server: SEP-2127, or SEP-1649 with `serverInfo`. */
export const isServerCard: Detect = ({ text }) => {
  const card = jsonObjectIn(text);
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

/** A set of links (RFC 9727 section 4), which must have its own media type (RFC 9264). */
export const isApiCatalog: Detect = ({ mediaType, text }) => {
  const links = jsonObjectIn(text)?.['linkset'];
  return mediaType === 'application/linkset+json' && Array.isArray(links)
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

/** The metadata of an authorization server (RFC 8414 section 2). */
export const isAuthorizationServer: Detect = ({ text }) => {
  const issuer = nonEmpty(jsonObjectIn(text)?.['issuer']);
  return issuer && `issuer ${shorten(issuer)}`;
};

/** The metadata of a protected resource (RFC 9728 section 2). */
export const isProtectedResource: Detect = ({ text }) => {
  const resource = nonEmpty(jsonObjectIn(text)?.['resource']);
  return resource && `resource ${shorten(resource)}`;
};

/** The keys with which the bots of the site sign requests. Any media type of a JWK set is accepted. */
export const isKeyDirectory: Detect = ({ mediaType, text }) => {
  const keys = objectsIn(jsonObjectIn(text)?.['keys']).filter((key) => nonEmpty(key['kty']));
  return /[/+]json$/.test(mediaType) && keys.length > 0 ? `keys: ${keys.length}` : undefined;
};

function endpointIn(object: Record<string, unknown>): string | undefined {
  const { transport, endpoints, endpoint } = object;
  const lists = [object['remotes'], object['servers'], object['transports']].flatMap(objectsIn);
  const candidates = [
    endpoint,
    isObject(endpoints) ? (endpoints['streamable_http'] ?? endpoints['jsonrpc']) : undefined,
    isObject(transport) ? (transport['endpoint'] ?? transport['url']) : undefined,
    ...lists.flatMap((each) => [each['url'], each['endpoint']]),
  ];
  return candidates.map(nonEmpty).find((text) => text !== undefined);
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
