import { sandboxNotice } from './notices.ts';

export interface SandboxResponse {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function rdap(
  status: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): SandboxResponse {
  return {
    status,
    body: JSON.stringify(value),
    headers: { 'content-type': 'application/rdap+json', ...headers },
  };
}

/** Returns an RDAP error response (RFC 9083 section 6). */
export function rdapError(
  status: number,
  title: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): SandboxResponse {
  const error = {
    rdapConformance: ['rdap_level_0'],
    errorCode: status,
    title,
    description: [description],
    notices: [sandboxNotice],
  };
  return rdap(status, error, headers);
}
