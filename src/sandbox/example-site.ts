import type { SandboxSite } from './site-names.ts';

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

/** Returns the response of a complete site. */
export function exampleResponse({
  site,
  path,
  accept,
  isSecure,
}: SandboxSiteRequest): SandboxSiteResponse {
  const origin = `${isSecure ? 'https' : 'http'}://${site.isWww ? 'www.' : ''}${site.domain}`;
  if (path === '/' && accept.startsWith('text/markdown'))
    return respond(200, 'text/markdown; charset=utf-8', markdownPage(site.domain));
  if (path === '/') return respond(200, pageHeaders, homePage(site.domain, origin));
  if (path === '/robots.txt')
    return respond(200, 'text/plain', robotsFile(origin, site.behaviour === 'blocked'));
  const file = signalFiles(site.domain, origin)[path];
  return file
    ? respond(200, file.type, file.body)
    : respond(404, 'text/plain', 'The sandbox has no such page.');
}

function respond(
  status: number,
  headers: string | Readonly<Record<string, string>>,
  body: string,
): SandboxSiteResponse {
  const own = typeof headers === 'string' ? { 'content-type': headers } : headers;
  return { status, headers: { ...commonHeaders, ...own }, body };
}

function robotsFile(origin: string, isBlocked: boolean): string {
  return `# A site of the sandbox, which does not exist on the internet.
User-agent: *
Content-Signal: search=yes, ai-input=yes, ai-train=no
${isBlocked ? 'Disallow: /' : 'Disallow: /private/\nAllow: /private/open/'}

User-agent: example-crawler
Crawl-delay: 10
Disallow: /

Sitemap: ${origin}/sitemap.xml
`;
}

/** Returns the response to a request; undefined if the site does not respond. */
export function siteResponse(request: SandboxSiteRequest): SandboxSiteResponse | undefined {
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

const note = 'This site is part of the sandbox. It does not exist on the internet.';

/** Returns the HTML of a home page. `domain` is a host name, so it needs no escapes. */
function homePage(domain: string, origin: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Sandbox shop at ${domain}</title>
<meta name="description" content="${note}">
<meta name="generator" content="WordPress 6.8.3">
<meta name="theme-color" content="#205080">
<meta property="og:title" content="Sandbox shop">
<meta property="og:type" content="website">
<meta property="og:image" content="${origin}/preview.png">
<meta name="twitter:card" content="summary">
<link rel="canonical" href="${origin}/">
<link rel="icon" href="/favicon.svg" type="image/svg+xml" sizes="any">
<link rel="apple-touch-icon" href="/touch-icon.png" sizes="180x180">
<link rel="manifest" href="/site.webmanifest">
<link rel="service-desc" href="/openapi.json" type="application/json">
<script type="application/ld+json">${JSON.stringify(structuredData(origin))}</script>
</head>
<body>
<h1>Sandbox shop</h1>
<p>${note}</p>
<p><a href="/about">About</a> <a href="https://taken.test/">Another site</a>
<a rel="me" href="https://mastodon.social/@sandbox-example">Mastodon</a></p>
<form toolname="search" tooldescription="Searches the sandbox"><input name="text"></form>
</body>
</html>
`;
}

/** Returns the home page as Markdown. */
function markdownPage(domain: string): string {
  return `# Sandbox shop at ${domain}\n\n${note}\n`;
}

function structuredData(origin: string) {
  const organization = {
    '@type': 'Organization',
    name: 'Sandbox Example Ltd',
    description: note,
    url: `${origin}/`,
    logo: `${origin}/logo.svg`,
    sameAs: [
      'https://github.com/sandbox-example',
      'https://www.linkedin.com/company/sandbox-example',
    ],
  };
  const website = { '@type': 'WebSite', name: 'Sandbox shop', url: `${origin}/` };
  return { '@context': 'https://schema.org', '@graph': [organization, website] };
}

/** A file of a site. */
interface SiteFile {
  readonly type: string;
  readonly body: string;
}

/** Returns the files of a complete site by path, except for its home page and robots.txt. */
function signalFiles(
  domain: string,
  origin: string,
): Readonly<Record<string, SiteFile | undefined>> {
  const endpoint = `${origin}/mcp`;
  const card = {
    serverInfo: { name: 'sandbox-shop', version: '1.0.0' },
    transport: { type: 'streamable-http', endpoint },
  };
  return {
    '/site.webmanifest': json({ name: 'Sandbox shop', icons: [], start_url: '/' }),
    '/sitemap.xml': {
      type: 'application/xml',
      body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${origin}/</loc></url></urlset>`,
    },
    '/sitemap.md': markdown(`# Pages\n\n- [Home](${origin}/)\n`),
    '/llms.txt': { type: 'text/plain', body: `# Sandbox shop\n\n> A sandbox site at ${domain}.\n` },
    '/AGENTS.md': markdown('# For agents\n\nThis site is part of the sandbox.\n'),
    '/openapi.json': json({
      openapi: '3.1.0',
      info: { title: 'Sandbox', version: '1' },
      paths: {},
    }),
    '/.well-known/api-catalog': json(
      { linkset: [{ anchor: origin, 'service-desc': [{ href: `${origin}/openapi.json` }] }] },
      'application/linkset+json',
    ),
    '/.well-known/mcp.json': json(card),
    '/.well-known/mcp/server-card.json': json(card),
    '/.well-known/agent-skills/index.json': json({
      skills: [{ name: 'search', type: 'skill-md', description: 'Searches the sandbox.' }],
    }),
  };
}

function json(value: unknown, type = 'application/json'): SiteFile {
  return { type, body: JSON.stringify(value) };
}

function markdown(body: string): SiteFile {
  return { type: 'text/markdown; charset=utf-8', body };
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
