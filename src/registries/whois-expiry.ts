import type { Clock } from '../clock.ts';
import { withProvenance, type Answer } from '../domain/answer.ts';
import type { Source } from '../domain/source.ts';
import { SourceReports } from './registry-sources.ts';

/** The WHOIS server of a registry whose RDAP server omits when registrations expire. */
interface ExpirySource {
  readonly source: Source;
  readonly serves: (suffix: string) => boolean;
  readonly clock: Clock;
}

/** How long the reply of WHOIS may take after the registry's answer. */
const timeLimitMs = 4000;

/** Adds the expiry that WHOIS states to records without one. Without a reply, there is none. */
export function withWhoisExpiry(registry: Source, { source, serves, clock }: ExpirySource): Source {
  return {
    id: registry.id,
    async lookup(query, { observer, ...request }) {
      const answer = await registry.lookup(query, { ...request, ...(observer && { observer }) });
      const isNeeded = query.detail !== 'verdict' && answer.data?.expiresAt === undefined;
      if (!answer.data?.registration || !isNeeded) return answer;
      if (!serves(query.name.suffix) || request.signal.aborted) return answer;

      const deadline = clock.now() + timeLimitMs;
      const limits = { queueDeadline: deadline, responseDeadline: deadline };
      return completed(answer, await source.lookup(query, { ...request, ...limits }));
    },
  };
}

/** Returns the answer of a registry with what WHOIS replied. */
function completed(answer: Answer, replied: Answer): Answer {
  const { data, provenance } = answer;
  const reports = new SourceReports();
  reports.record('whois', replied);

  const { attempts, evidence } = reports.addTo(answer).provenance;
  const withReport = withProvenance(answer, {
    attempts: [...provenance.attempts, ...attempts],
    evidence: {
      ...(evidence ?? { unproven: false }),
      sources: [...(provenance.evidence?.sources ?? []), ...(evidence?.sources ?? [])],
    },
  });

  const whoisExpiresAt = replied.data?.registration?.().expiresAt;
  if (!data?.registration || whoisExpiresAt === undefined) return withReport;

  const { registration, objectText: _objectText, ...facts } = data;
  return {
    ...withReport,
    data: { ...facts, registration: () => ({ ...registration(), whoisExpiresAt }) },
  };
}
