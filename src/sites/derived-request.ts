import type { SiteRequest } from './site-facts.ts';

/**
 * Returns a copy of a request with other parts. Its queue deadline stays that of `request`, which
 * becomes later if a caller with more time joins the read.
 */
export function derivedRequest(
  request: SiteRequest,
  parts: Partial<Pick<SiteRequest, 'signal' | 'onSent'>>,
): SiteRequest {
  return {
    ...request,
    ...parts,
    get queueDeadline() {
      return request.queueDeadline;
    },
  };
}
