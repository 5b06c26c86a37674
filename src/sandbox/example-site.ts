import { homePage, markdownPage } from './home-page.ts';
import { signalFiles } from './signal-files.ts';
import type { SandboxSiteRequest, SandboxSiteResponse } from './site-request.ts';

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
