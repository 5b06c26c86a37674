import type { ObjectType } from '../../domain/object-ref.ts';
import { failureOf, type ProblemFields } from '../messages/lookup-problem.ts';
import type { ParsedRestRequest } from './rest-route.ts';

interface ObjectResult {
  readonly found: boolean | null;
  readonly problem: ProblemFields | null;
  readonly rdap_endpoint: string | null;
  readonly cached: boolean;
  readonly stale: boolean;
  readonly checked_at: string | null;
  readonly fresh_until: string | null;
  readonly latency_ms: number;
  readonly raw: unknown;
}

/** Returns the function that builds the body of an object. Without an answer, it throws a problem. */
export function objectBody(type: ObjectType, input: string): ParsedRestRequest['body'] {
  return (data) => {
    const { object } = data as { object: ObjectResult };
    const { found, problem, raw, fresh_until, latency_ms, ...rest } = object;
    const { rdap_endpoint, cached, stale, checked_at, ...members } = rest;
    if (found === null) throw failureOf(problem);
    const age = { cached, stale, checked_at };
    return {
      rows: [
        { ...age, fresh_until, status: found ? 'REGISTERED' : 'AVAILABLE', available: !found },
      ],
      body: {
        input,
        type,
        found,
        source: 'rdap',
        rdap_endpoint,
        ...age,
        latency_ms: Math.round(latency_ms),
        object: found ? members : null,
        rdap: raw,
      },
    };
  };
}
