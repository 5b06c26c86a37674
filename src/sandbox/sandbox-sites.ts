import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { readFileSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import type { SiteServer } from '../outbound/dispatcher.ts';
import { CertificateAuthority, type KeyAndCertificate } from './certificates.ts';
import texts from './example-site.json' with { type: 'json' };
import { closeServer } from './server.ts';
import { siteOf, type SandboxSite } from './names.ts';

/** The web servers of the sandbox. */
export interface SandboxSites {
  /** Returns the server of a host name under `.test`. `none`: it has none at this port. */
  serverOf(host: string, port: 80 | 443): SiteServer | 'none';
  /** The search of Certificate Transparency logs for `.test`, in crt.sh's JSON form. */
  readonly certificateSearchUrl: string;
  /** Closes the servers and all connections. May be called twice. */
  close(): Promise<void>;
}

/** Starts the web servers of the sandbox on free loopback ports. */
export async function startSandboxSites(clock: Clock): Promise<SandboxSites> {
  const certificates = new SiteCertificates(clock);
  const plain = createServer(listener(false, clock));
  const secure = createTlsServer(tlsOptions(certificates), listener(true, clock));
  const outdated = createTlsServer(
    { ...tlsOptions(certificates), minVersion: 'TLSv1', maxVersion: 'TLSv1' },
    listener(true, clock),
  );
  const servers = [plain, secure, outdated];
  const [http, https, tls10] = await Promise.all(servers.map(listen));
  const server = (port = 0) => ({ address, port, ca: certificates.authority });
  return {
    serverOf(host, port) {
      const site = siteOf(host);
      if (!site) return 'none';
      if (port === 80) return server(http);
      if (site.behaviour === 'http') return 'none';
      return server(site.behaviour === 'tls10' ? tls10 : https);
    },
    certificateSearchUrl: `http://${address}:${http}/certificates`,
    close: async () => void (await Promise.all(servers.map(closeServer))),
  };
}

const address = '127.0.0.1';

function tlsOptions(certificates: SiteCertificates): ServerOptions {
  return {
    ciphers: 'DEFAULT@SECLEVEL=0',
    SNICallback: (host, callback) => callback(null, certificates.contextOf(host.toLowerCase())),
  };
}

function listener(isSecure: boolean, clock: Clock): RequestListener {
  return ({ url = '/', headers }, response) => {
    const host = (headers.host ?? '').replace(/:\d+$/, '');
    const { pathname, searchParams } = new URL(
      URL.canParse(url, 'http://a') ? url : '/',
      'http://a',
    );
    const site = siteOf(host);
    if (!site) {
      const isSearch = host === address && pathname === '/certificates';
      const rows = isSearch ? searchCertificates(searchParams.get('q') ?? '', clock) : undefined;
      response.writeHead(rows ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(rows ?? { error: 'The sandbox has no such site.' }));
      return;
    }
    const page = siteResponse({ site, isSecure, path: pathname, accept: headers.accept ?? '' });
    if (page) response.writeHead(page.status, page.headers).end(page.body);
  };
}

async function listen(server: Server): Promise<number> {
  server.listen({ port: 0, host: address });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const dayMs = 24 * 60 * 60 * 1000;
const maxContexts = 200;

/**
 * Returns the result of a search in crt.sh's JSON form: the certificates of a registered name, and
 * none for others. `query` is a name, which may start with `%.` for the names under it.
 */
function searchCertificates(query: string, clock: Clock): readonly object[] {
  const site = siteOf(query.replace(/^%\./, ''));
  if (!site) return [];
  const { domain } = site;
  const today = Math.floor(clock.now() / dayMs) * dayMs;
  return [
    row(4, [domain, `www.${domain}`], today - 30 * dayMs),
    row(3, [`shop.${domain}`], today - 40 * dayMs),
    row(2, [`*.${domain}`, domain], today - 60 * dayMs),
    row(1, [domain, `mail.${domain}`], today - 400 * dayMs),
  ];
}

/** Returns a certificate that is valid for 90 days. */
function row(id: number, names: readonly string[], notBefore: number): object {
  return {
    id,
    issuer_ca_id: 1,
    issuer_name: 'C=GB, O=Sandbox CA',
    common_name: names[0],
    name_value: names.join('\n'),
    entry_timestamp: crtTime(notBefore + 60_000),
    not_before: crtTime(notBefore),
    not_after: crtTime(notBefore + 90 * dayMs),
    serial_number: `0${id}`,
  };
}

/** Formats a time in UTC without a zone, like crt.sh. */
function crtTime(time: number): string {
  return new Date(time).toISOString().slice(0, 19);
}

/** Creates the certificates of sites when they are first used. */
class SiteCertificates {
  readonly #clock: Clock;
  readonly #authority: CertificateAuthority;
  readonly #contexts = new Map<string, SecureContext>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#authority = new CertificateAuthority('Sandbox CA', clock.now());
  }

  /** The certificate of the CA that issues all of them, in PEM. */
  get authority(): string {
    return this.#authority.certificate;
  }

  /** Returns the certificate for a host name; undefined if it has no site. */
  contextOf(host: string): SecureContext | undefined {
    const known = this.#contexts.get(host);
    if (known) return known;
    const certificate = this.#certificateOf(host);
    if (!certificate) return undefined;
    const context = createSecureContext({ ...certificate, ciphers: 'DEFAULT@SECLEVEL=0' });
    if (this.#contexts.size >= maxContexts) this.#contexts.clear();
    this.#contexts.set(host, context);
    return context;
  }

  #certificateOf(host: string): KeyAndCertificate | undefined {
    const site = siteOf(host);
    if (!site) return undefined;
    const { domain, behaviour } = site;
    const now = this.#clock.now();
    const options = {
      names: behaviour === 'wrong-name' ? ['other.test'] : [domain, `www.${domain}`],
      organization: 'Sandbox Example Ltd',
      notBefore: now - 60 * dayMs,
      notAfter: behaviour === 'expired' ? now - 10 * dayMs : now + 30 * dayMs,
    };
    return behaviour === 'self-signed'
      ? this.#authority.issueSelfSigned(options)
      : this.#authority.issue(options);
  }
}

const commonHeaders = {
  server: 'nginx/1.29.3',
  'x-powered-by': 'PHP/8.4.1',
  'x-content-type-options': 'nosniff',
};

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-language': 'en',
  'strict-transport-security': 'max-age=31536000',
  'content-security-policy': "default-src 'self'",
  'referrer-policy': 'strict-origin-when-cross-origin',
  'set-cookie': 'wordpress_test_cookie=sandbox; Path=/',
};

const homePage = readFileSync(new URL('example-site.html', import.meta.url), 'utf8');

/** The other files of a complete site by path; `/` is the home page as Markdown. */
const files = new Map<string, SiteFile>(Object.entries(texts));

interface SiteFile {
  readonly type: string;
  /** Text, or the value of a JSON file. */
  readonly body: unknown;
}

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
    return { status: 200, headers: { ...commonHeaders, ...pageHeaders }, body: filled(homePage) };
  const file = files.get(path);
  const { type, body } = file ?? missing;
  return {
    status: file ? 200 : 404,
    headers: { ...commonHeaders, 'content-type': type },
    body: filled(typeof body === 'string' ? body : JSON.stringify(body)),
  };
}

const missing: SiteFile = { type: 'text/plain', body: 'The sandbox has no such page.' };

/** Returns the response to a request; undefined if the site does not respond. */
function siteResponse(request: SandboxSiteRequest): SandboxSiteResponse | undefined {
  const { site, path, isSecure } = request;
  if (path === '/robots.txt') return exampleResponse(request);
  switch (site.behaviour) {
    case 'slow':
      return undefined;
    case 'loop':
      return redirect(path === '/' ? '/again' : '/');
    case 'private':
      return redirect('http://127.0.0.1/');
    case 'forbidden':
      return text(403, 'The sandbox forbids this page.');
    case 'error':
      return text(500, 'The sandbox simulates an error.');
    case 'empty':
      return { status: 200, headers: { 'content-type': 'text/html' }, body: '' };
    case 'pdf':
      return { status: 200, headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.7\n' };
    case 'redirect':
      return site.isWww ? exampleResponse(request) : redirect(`https://www.${site.domain}${path}`);
    default:
      return isSecure || site.behaviour === 'http'
        ? exampleResponse(request)
        : redirect(`https://${site.isWww ? 'www.' : ''}${site.domain}${path}`);
  }
}

function redirect(location: string): SandboxSiteResponse {
  return { status: 301, headers: { location }, body: '' };
}

function text(status: number, body: string): SandboxSiteResponse {
  return { status, headers: { 'content-type': 'text/plain' }, body };
}

/** A request to a site of the sandbox. */
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
