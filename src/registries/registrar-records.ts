import type { Clock } from '../clock.ts';
import type { DomainName } from '../domain/domain-name.ts';
import { isSameName } from '../domain/domain-name.ts';
import type { Json, Registration } from '../domain/registration.ts';
import type { RegistrarRecords } from '../domain/registrar-records.ts';
import { Problem } from '../problems.ts';
import type { Client } from '../rdap/client.ts';
import { asObject, listOf, readJson } from '../rdap/json.ts';
import { parseRegistration } from '../rdap/parse.ts';
import type { Lane } from './lane.ts';

export interface RegistrarOptions {
  readonly client: Client;
  readonly laneOf: (url: string) => Lane;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

const accept = 'application/rdap+json, application/json;q=0.9';

/** Follows the link that a registry gives to its registrar (ICANN TIG 3.2), one step deep: what the registrar links to is not asked. */
export function registrarRecords({ client, laneOf, clock, timeoutMs }: RegistrarOptions): RegistrarRecords {
  return {
    async get(name, registration, asker) {
      const url = relatedUrl(registration);
      if (url === undefined) return null;
      const turn = await laneOf(url).enter(asker);
      if (turn instanceof Problem) throw turn;
      const sentAt = clock.now();
      const outcome = await client.get(url, { accept }, timeoutMs);
      const failure = 'problem' in outcome ? (outcome.failure === 'refused' ? undefined : outcome.failure) : failureOf(outcome.status);
      const retryAfter = 'problem' in outcome ? undefined : outcome.retryAfter;
      const told = new Problem(
        'registry_busy',
        'The registrar takes no more questions now.',
        retryAfter === undefined ? {} : { retryAfter },
      );
      turn.end({ verdict: 'UNKNOWN', problem: told, cached: false, stale: false, sentAt, ...(failure && { failure }) });
      if ('problem' in outcome) throw outcome.problem;
      if (failure === 'busy') throw told;
      return outcome.status === 200 ? recordOf(outcome.body, name) : null;
    },
  };
}

function failureOf(status: number): 'busy' | 'down' | undefined {
  if (status === 429 || status === 503) return 'busy';
  return status >= 500 ? 'down' : undefined;
}

function recordOf(body: Uint8Array, name: DomainName): Registration {
  const object = asObject(readJson(body));
  const written = object?.['ldhName'];
  if (!object || object['objectClassName'] !== 'domain' || typeof written !== 'string' || !isSameName(written, name)) {
    throw new Problem('untrusted_answer', "The registrar sent something that is not this name's record.");
  }
  return parseRegistration(object);
}

/** The registrar's URL for the name: `rel` says related, the media type RDAP; the client knows which addresses may be asked. */
function relatedUrl({ raw }: Registration): string | undefined {
  const links: readonly Json[] = listOf(raw?.['links']);
  return links
    .map(asObject)
    .filter((link) => link?.['rel'] === 'related' && link['type'] === 'application/rdap+json')
    .map((link) => link?.['href'])
    .find((href): href is string => typeof href === 'string' && URL.canParse(href) && new URL(href).protocol.startsWith('http'));
}
