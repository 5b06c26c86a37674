import { Problem } from '../domain/problems.ts';

/** Creates the problem of a request whose turn cannot come in time. */
export function queueFull(host: string, retryAfter: number): Problem {
  return new Problem(
    'registry_busy',
    `${host} accepts no more requests now. Try again in ${retryAfter} s.`,
    { retryAfter },
  );
}

/** Creates the problem of an account of which too many lookups at the host failed. */
export function tooManyFailures(host: string, retryAfter: number): Problem {
  const detail = `Too many of your lookups at ${host} failed in the last minute. Try again in ${retryAfter} s.`;
  return new Problem('registry_busy', detail, { retryAfter });
}

/** Creates the problem of a request to a host that has not responded for a while. */
export function circuitOpen(host: string, retryAfter: number): Problem {
  return new Problem(
    'registry_error',
    `${host} has failed repeatedly. It is queried again in ${retryAfter} s.`,
    { retryAfter },
  );
}
