import type { Clock } from '../clock.ts';
import { rdapError, type SandboxResponse } from './responses.ts';

/** The dependencies of the responses. */
export interface SandboxServices {
  readonly clock: Clock;
  readonly baseUrl: string;
  /** Takes the path of a lookup, or a domain name. */
  readonly isBusy: (key: string) => boolean;
}

type Respond = () => SandboxResponse | Promise<SandboxResponse>;

/** Delays or replaces a response. `key` identifies the lookup. */
export type Fault = (
  key: string,
  services: SandboxServices,
  respond: Respond,
) => SandboxResponse | Promise<SandboxResponse>;

/** The faults, by the prefix of a label or handle that selects them. */
export const faults = {
  slow: (_key, { clock }, respond) => delayed(clock, 1_500, respond),
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

function delayed<T>(clock: Clock, ms: number, make: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve) => clock.after(ms, () => resolve(make())));
}
