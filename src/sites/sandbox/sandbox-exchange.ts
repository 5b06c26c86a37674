import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { NoServerError } from '../../outbound/dispatcher.ts';
import {
  ConnectError,
  type SiteExchangeRequest,
  type SiteExchangeResponse,
} from '../../outbound/site-exchange.ts';
import texts from './example-site.json' with { type: 'json' };
import { certificateErrors, siteOf, type SandboxSite } from './sandbox-site.ts';

/** Why no connection over TLS is established, by OpenSSL's code. */
const tlsErrors: typeof certificateErrors = {
  ...certificateErrors,
  tls10: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
};

/** Responds as a site of the sandbox, without a connection. Rejects like `exchangeWithSite`. */
export async function exchangeInSandbox(
  { url, headers, signal }: Pick<SiteExchangeRequest, 'url' | 'headers' | 'signal'>,
  clock: Clock,
): Promise<SiteExchangeResponse> {
  // Requests in flight end after those that are sent together with them, as over a connection.
  await setImmediate();
  signal.throwIfAborted();
  const isSecure = url.protocol === 'https:';
  const site = connectedSite(url.hostname, isSecure);
  const accept = headers['accept'] ?? '';
  const response = siteResponse({ site, isSecure, path: url.pathname, accept });
  if (!response)
    return new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );

  return {
    status: response.status,
    headers: {
      ...response.headers,
      date: new Date(clock.now()).toUTCString(),
      connection: 'keep-alive',
      'keep-alive': 'timeout=5',
      'transfer-encoding': 'chunked',
    },
    body: Buffer.from(response.body),
    isTruncated: false,
  };
}

/** Returns the site of a host. Throws `ConnectError` if it has none, or no valid certificate. */
function connectedSite(host: string, isSecure: boolean): SandboxSite {
  const site = siteOf(host);
  if (!site || (isSecure && site.behaviour === 'http'))
    throw new ConnectError('no server', { cause: new NoServerError(`${host} has no server`) });

  const code = isSecure ? tlsErrors[site.behaviour] : undefined;
  if (code !== undefined)
    throw new ConnectError(code, { cause: Object.assign(new Error(code), { code }) });

  return site;
}

const homePage = readFileSync(new URL('example-site.html', import.meta.url), 'utf8');

/** A file of a complete site. Its body is a text, or the value of a JSON file. */
interface SiteFile {
  readonly type: string;
  readonly body: unknown;
}

/** The other files by path; `/` is the home page as Markdown. */
const files = new Map<string, SiteFile>(Object.entries(texts.files));

/** The responses of the sites that always send the same one. */
const specialResponses = new Map<string, SandboxSiteResponse>(Object.entries(texts.special));

/** Returns the response of a complete site. */
function exampleResponse({
  site: { domain, isWww, behaviour },
  path,
  accept,
  isSecure,
}: SandboxSiteRequest): SandboxSiteResponse {
  const values: Readonly<Record<string, string>> = {
    domain,
    origin: `${isSecure ? 'https' : 'http'}://${isWww ? 'www.' : ''}${domain}`,
    rules: behaviour === 'blocked' ? 'Disallow: /' : 'Disallow: /private/\nAllow: /private/open/',
  };

  // A host name needs no escapes, neither in HTML nor in JSON.
  const filled = (template: string) =>
    template.replaceAll(/\{(domain|origin|rules)\}/g, (_all, name: string) => values[name] ?? '');
  if (path === '/' && !accept.startsWith('text/markdown'))
    return {
      status: 200,
      headers: { ...texts.headers, ...texts.pageHeaders },
      body: filled(homePage),
    };

  const file = files.get(path);
  const { type, body } = file ?? texts.missing;

  return {
    status: file ? 200 : 404,
    headers: { ...texts.headers, 'content-type': type },
    body: filled(typeof body === 'string' ? body : JSON.stringify(body)),
  };
}

/** Returns the response to a request; undefined if the site does not respond. */
function siteResponse(request: SandboxSiteRequest): SandboxSiteResponse | undefined {
  const { site, path, isSecure } = request;
  const { behaviour, domain, isWww } = site;
  if (path === '/robots.txt') return exampleResponse(request);
  if (behaviour === 'slow') return undefined;
  if (behaviour === 'loop') return redirect(path === '/' ? '/again' : '/');

  const special = specialResponses.get(behaviour);
  if (special) return special;
  if (behaviour === 'redirect')
    return isWww ? exampleResponse(request) : redirect(`https://www.${domain}${path}`);

  return isSecure || behaviour === 'http'
    ? exampleResponse(request)
    : redirect(`https://${isWww ? 'www.' : ''}${domain}${path}`);
}

function redirect(location: string): SandboxSiteResponse {
  return { status: 301, headers: { location }, body: '' };
}

interface SandboxSiteRequest {
  readonly site: SandboxSite;
  readonly isSecure: boolean;
  readonly path: string;
  readonly accept: string;
}

/** What the server sends back. */
interface SandboxSiteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
