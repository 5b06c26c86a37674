import type { Clock } from '../clock.ts';
import { createBusyCheck } from './busy-check.ts';
import { sandboxNotice, sandboxRegistration, type SandboxPhase } from './registration.ts';
import { contradictedSuffix } from './suffixes.ts';

export interface SandboxResponse {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The dependencies of behaviours. */
interface SandboxServices {
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly isBusy: (name: string) => boolean;
}

type Behaviour = (
  name: string,
  services: SandboxServices,
) => SandboxResponse | Promise<SandboxResponse>;

/** Behaviours by the prefix of the label. */
const behaviours: Readonly<Record<string, Behaviour>> = {
  taken: registered('current'),
  reserved: () =>
    rdapError(404, 'Reserved', 'This name is not available for registration: registry reserved.'),
  redemption: registered('redemption'),
  pending: registered('pending delete'),
  slow: (name, services) =>
    delayed(services.clock, 1_500, () => registered('current')(name, services)),
  busy: (name, services) =>
    services.isBusy(name) ? tooManyRequests() : registered('current')(name, services),
  down: () => rdapError(500, 'Internal Server Error', 'This name always fails.'),
  html: () => ({
    status: 404,
    body: '<!doctype html><title>Not Found</title><h1>Not Found</h1>',
    headers: { 'content-type': 'text/html' },
  }),
  hang: () => new Promise<never>(() => {}),
};

/** Creates the function that responds to lookups of a lower-case A-label name under `.test`. */
export function sandboxResponder(
  clock: Clock,
  baseUrl: string,
): (name: string) => SandboxResponse | Promise<SandboxResponse> {
  const services: SandboxServices = { clock, baseUrl, isBusy: createBusyCheck(clock) };
  const table = Object.entries(behaviours);
  return (name) => {
    if (name.endsWith(`.${contradictedSuffix}`)) return unregistered(name, services);
    const [, behaviour = unregistered] = table.find(([prefix]) => name.startsWith(prefix)) ?? [];
    return behaviour(name, services);
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

function registered(phase: SandboxPhase): Behaviour {
  return (name, { baseUrl, clock }) => rdap(200, sandboxRegistration(name, phase, baseUrl, clock));
}

const unregistered: Behaviour = () => rdapError(404, 'Not Found', 'No such domain.');

function tooManyRequests(): SandboxResponse {
  return rdapError(429, 'Too Many Requests', 'Try again in one second.', { 'retry-after': '1' });
}

function delayed<T>(clock: Clock, ms: number, make: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve) => clock.after(ms, () => resolve(make())));
}
