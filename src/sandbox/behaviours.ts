import type { Clock } from '../clock.ts';
import { busySignal } from './busy-signal.ts';
import { aboutSandbox, registrationOf, type Phase } from './registration.ts';

export interface SandboxAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the behaviours draw on. */
interface Desk {
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly isBusy: (name: string) => boolean;
}

type Behaviour = (name: string, desk: Desk) => SandboxAnswer | Promise<SandboxAnswer>;

/** The label's first part decides. */
const behaviours: Readonly<Record<string, Behaviour>> = {
  taken: registered('current'),
  reserved: () =>
    rdapError(404, 'Reserved', 'This name is not available for registration: registry reserved.'),
  redemption: registered('redemption'),
  pending: registered('pending delete'),
  slow: (name, desk) => after(desk.clock, 1_500, () => registered('current')(name, desk)),
  busy: (name, desk) => (desk.isBusy(name) ? tooManyRequests() : registered('current')(name, desk)),
  down: () => rdapError(500, 'Internal Server Error', 'This name is always answered so.'),
  html: () => ({
    status: 404,
    body: '<!doctype html><title>Not Found</title><h1>Not Found</h1>',
    headers: { 'content-type': 'text/html' },
  }),
  hang: () => new Promise<never>(() => {}),
};

/** Answers for a lower-case A-label name under `.test`. */
export function sandboxAnswers(
  clock: Clock,
  baseUrl: string,
): (name: string) => SandboxAnswer | Promise<SandboxAnswer> {
  const desk: Desk = { clock, baseUrl, isBusy: busySignal(clock) };
  const table = Object.entries(behaviours);
  return (name) => {
    const [, behaviour = free] = table.find(([prefix]) => name.startsWith(prefix)) ?? [];
    return behaviour(name, desk);
  };
}

/** The body that RFC 9083 section 6 asks for. */
export function rdapError(
  status: number,
  title: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): SandboxAnswer {
  const error = {
    rdapConformance: ['rdap_level_0'],
    errorCode: status,
    title,
    description: [description],
    notices: [aboutSandbox],
  };
  return rdap(status, error, headers);
}

export function rdap(
  status: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): SandboxAnswer {
  return {
    status,
    body: JSON.stringify(value),
    headers: { 'content-type': 'application/rdap+json', ...headers },
  };
}

function registered(phase: Phase): Behaviour {
  return (name, { baseUrl, clock }) => rdap(200, registrationOf(name, phase, baseUrl, clock));
}

const free: Behaviour = () => rdapError(404, 'Not Found', 'No such domain.');

function tooManyRequests(): SandboxAnswer {
  return rdapError(429, 'Too Many Requests', 'Ask again in a second.', { 'retry-after': '1' });
}

function after<T>(clock: Clock, ms: number, make: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve) => clock.after(ms, () => resolve(make())));
}
