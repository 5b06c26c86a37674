import { exampleResponse } from './example-site.ts';
import type { SandboxSiteRequest, SandboxSiteResponse } from './site-request.ts';

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
