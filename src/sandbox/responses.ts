import type { Clock } from '../clock.ts';

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
const documentationNotice = {
  title: 'Sandbox',
  description: [
    'These addresses and numbers are reserved for documentation (RFC 5737, RFC 3849, RFC 5398), and the TLD .test for testing (RFC 6761). All data in this response is fictitious.',
  ],
};

/** The dependencies of the responses. */
export interface SandboxServices {
  readonly clock: Clock;
  readonly baseUrl: string;
  /** Takes the path of a lookup, or a domain name. */
  readonly isBusy: (key: string) => boolean;
}

type Response = SandboxResponse | Promise<SandboxResponse>;

/** Delays or replaces a response. `key` identifies the lookup. */
export type Fault = (key: string, services: SandboxServices, respond: () => Response) => Response;

/** The faults, by the prefix of a label or handle that selects them. */
export const faults = {
  slow: (_key, { clock }, respond) =>
    new Promise((resolve) => clock.after(1_500, () => resolve(respond()))),
  busy: (key, { isBusy }, respond) => (isBusy(key) ? tooManyRequests() : respond()),
  down: () => rdapError(500, 'Internal Server Error', 'This lookup always fails.'),
  html: () => ({
    status: 404,
    body: '<!doctype html><title>Not Found</title><h1>Not Found</h1>',
    headers: { 'content-type': 'text/html' },
  }),
  hang: () => new Promise<never>(() => {}),
} as const satisfies Readonly<Record<string, Fault>>;

function tooManyRequests(): SandboxResponse {
  return rdapError(429, 'Too Many Requests', 'Try again in one second.', { 'retry-after': '1' });
}

/** How the server responds to lookups of an object: `redirect` is a 302 to the same server. */
export type ObjectBehaviour = keyof typeof faults | 'redirect';

/** What the server has at the path of a lookup. */
export interface SandboxObject {
  /** The object itself if undefined. */
  readonly behaviour?: ObjectBehaviour | undefined;
  /** Returns the object class as JSON (RFC 9083 section 5). */
  body(services: SandboxServices): object;
}

/** Returns an object that was looked up: with the members that every response has. */
export function response(object: object, services: SandboxServices) {
  return {
    rdapConformance: ['rdap_level_0', 'cidr0', 'geofeed1', 'redacted'],
    ...object,
    notices: [documentationNotice],
    events: events(services),
  };
}

/** Returns a link to an object of the sandbox, by the path of its lookup. */
export function link({ baseUrl }: SandboxServices, self: string, rel = 'self', path = self) {
  return {
    value: `${baseUrl}${self}`,
    rel,
    href: `${baseUrl}${path}`,
    type: 'application/rdap+json',
  };
}

/** Formats an instant like most registries, without a fraction. */
export function rfc3339(instant: number): string {
  return new Date(instant).toISOString().replace(/\.\d+Z$/, 'Z');
}

function events({ clock }: SandboxServices) {
  return [
    { eventAction: 'registration', eventDate: '2010-01-06T00:00:00Z' },
    { eventAction: 'last changed', eventDate: '2024-02-29T12:00:00Z' },
    { eventAction: 'last update of RDAP database', eventDate: rfc3339(clock.now()) },
  ];
}
