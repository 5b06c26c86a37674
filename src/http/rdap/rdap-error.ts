import { problems, type Problem } from '../../domain/problems.ts';
import { problemHeaders, problemMembers, problemType } from '../messages/problem-response.ts';
import { jsonResponse, type HttpResponse } from '../http-request-context.ts';
import { pageLink, type Notice } from './notices.ts';
import { baseConformance } from './rdap-object.ts';
import { rdapJson } from './rdap-path.ts';

export interface RdapErrorOptions {
  readonly docsUrl: string;
  /** URL of the response. */
  readonly url: string;
  /** Notices about the answer that the error reports. */
  readonly notices?: readonly Notice[];
  /** Headers in addition to those of the problem. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Renders a problem as an RDAP error (RFC 9083 section 6). A notice contains its code. */
export function rdapErrorResponse(
  problem: Problem,
  { docsUrl, url, notices = [], headers = {} }: RdapErrorOptions,
): HttpResponse {
  const { code, title, detail, errors = [] } = problemMembers(problem);
  const status = statusOf(problem);
  const codeNotice = {
    title: 'Problem code',
    description: [code],
    links: [pageLink(url, problemType(code, docsUrl))],
  };
  const body = {
    rdapConformance: [baseConformance],
    lang: 'en',
    errorCode: status,
    title,
    description: [detail, ...errors.map((error) => `${error.param}: ${error.detail}`)],
    notices: [...notices, codeNotice],
  };
  const response = jsonResponse(status, body, {
    'cache-control': 'no-store',
    ...problemHeaders(problem),
    ...headers,
    'content-type': rdapJson,
  });
  return { ...response, code };
}

/**
 * Returns the status of a problem. An object that exists, but not in RDAP, must not be reported as
 * "not found" (RFC 7480 section 5.3).
 */
function statusOf({ code, status }: Problem): number {
  return code === 'no_rdap' ? problems.not_implemented.status : status;
}
