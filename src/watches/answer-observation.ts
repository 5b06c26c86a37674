import type { Answer } from '../domain/answer.ts';
import type { Resolution } from '../domain/directory.ts';
import { splitName, type DomainName } from '../domain/names/domain-name.ts';
import type { Registration } from '../domain/registration.ts';
import { outcomeOfAnswer, withPolicy } from '../lookup/lookup-outcome.ts';
import type { NameQuery } from '../domain/source.ts';
import type { Facts, Observation } from './observation.ts';

/** What the directory knows of a name that can be looked up. */
export type ResolvedRegistry = Extract<Resolution, { readonly registry: unknown }>;

/** Returns the query of a look: the registry is queried, whatever is stored. */
export function recordQuery(name: DomainName): NameQuery {
  return { name: splitName(name), detail: 'registration', confirm: 'ALL', maxAge: 0 };
}

/** Returns what the answer of a registry shows. AVAILABLE counts only with proof of today. */
export function observationOf(
  name: DomainName,
  { policy }: Pick<ResolvedRegistry, 'policy'>,
  answer: Answer,
  now: number,
): Observation {
  const { evidence = null, stale, endpoint, recordEndpoint } = answer.provenance;
  const outcome = withPolicy(
    outcomeOfAnswer(answer, 'registration', 0, now),
    splitName(name),
    policy,
    now,
  );
  const verdict = outcome.data;
  const isUnproven = verdict === 'AVAILABLE' && evidence?.unproven === true;
  if (!verdict || stale || isUnproven) return { facts: undefined, evidence };

  const registration = outcome.registration?.();
  const phase = verdict === 'REGISTERED' && !registration ? undefined : outcome.phase();

  return {
    facts: {
      verdict,
      ...(phase !== undefined && { phase }),
      ...(registration && verdict !== 'AVAILABLE' && factsOf(registration)),
    },
    source: registration ? (recordEndpoint ?? endpoint) : undefined,
    evidence,
  };
}

const maxListed = 32;

function factsOf(registration: Registration): Facts {
  const { createdAt, updatedAt, expiresAt, registrar, hosts, statuses, dnssec } = registration;
  const { name, ianaId } = registrar ?? {};
  const records = dnssec.dsRecords.map(
    ({ keyTag, algorithm, digestType, digest }) =>
      `${keyTag} ${algorithm} ${digestType} ${digest.toUpperCase()}`,
  );

  return {
    ...(createdAt !== undefined && { createdAt }),
    ...(updatedAt !== undefined && { updatedAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...((name !== undefined || ianaId !== undefined) && {
      registrar: { ...(name !== undefined && { name }), ...(ianaId !== undefined && { ianaId }) },
    }),
    nameservers: sorted(hosts.map((host) => host.name)),
    statuses: sorted(statuses),
    ...((records.length > 0 || dnssec.signed === false) && { dnssec: sorted(records) }),
  };
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted().slice(0, maxListed);
}
