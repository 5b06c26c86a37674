import type { IncomingMessage } from 'node:http';
import type { Account } from '../accounts/account.ts';
import { Problem } from '../problems.ts';

/** A key that was made for pages works from those alone. It keeps other sites out, not programs. Throws `forbidden_origin`. */
export function refuseForeignOrigin({ origins }: Account, request: IncomingMessage): void {
  if (origins.length === 0 || origins.includes(originOf(request) ?? '')) return;
  throw new Problem('forbidden_origin', 'This key works only from the pages that it was made for.');
}

/** The page's origin: as the browser says; for a same-origin GET, which carries none, by its `Referer`. */
function originOf({ headers }: IncomingMessage): string | undefined {
  if (headers.origin !== undefined) return headers.origin;
  const { referer } = headers;
  const sameOrigin = headers['sec-fetch-site'] === 'same-origin' && referer !== undefined && URL.canParse(referer);
  return sameOrigin ? new URL(referer).origin : undefined;
}
