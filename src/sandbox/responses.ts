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

/** Part of every response about names, so that the data is not mistaken for real. */
export const sandboxNotice = {
  title: 'Sandbox',
  description: [
    'The TLD .test is reserved for testing (RFC 6761). All data in this response is fictitious.',
  ],
};

/** Part of every response with another object, so that the data is not mistaken for real. */
export const documentationNotice = {
  title: 'Sandbox',
  description: [
    'These addresses and numbers are reserved for documentation (RFC 5737, RFC 3849, RFC 5398), and the TLD .test for testing (RFC 6761). All data in this response is fictitious.',
  ],
};
