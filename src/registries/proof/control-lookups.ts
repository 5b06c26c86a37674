import type { Clock } from '../../clock.ts';
import { parseDomainName, splitName, type DomainName } from '../../domain/domain-name.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import { checkRequest, type Source } from '../../domain/source.ts';
import { randomLabel } from '../dns/zone-controls.ts';
import type { ControlOutcome } from './control-monitor.ts';

export interface Controls {
  /** The suffix whose names the server is queried for: the controls are names under it. */
  readonly suffix: string;
  /** Registered names under the suffix. */
  readonly samples: readonly DomainName[];
  /**
   * How long a control lookup waits in the queue, and a lookup without a deadline for the controls,
   * in ms.
   */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** What a control lookup shows. `unclear`: the reply cannot be read. */
type Finding = 'taken' | 'available' | 'unclear' | 'inconclusive' | 'not_sent';

interface ControlAnswer {
  readonly finding: Finding;
  readonly replyForm?: string | undefined;
}

/**
 * Makes both control lookups at a server. Never rejects. The registered name comes last: it shows that
 * the reply about the random name is not one that the server has begun to send for every name.
 */
export async function runControls(source: Source, controls: Controls): Promise<ControlOutcome> {
  const { samples, suffix } = controls;
  if (samples.length === 0) return { result: 'failed' };
  // A random name may be refused, or exist: the second decides.
  const names = [randomName(suffix), randomName(suffix)];
  const negative = await expectFinding('available', names, source, controls);
  if (negative.result !== 'passed') return negative;
  const { result } = await expectFinding('taken', samples, source, controls);
  return { result, replyForm: negative.replyForm };
}

/** Looks up the names in order until one has the expected finding. */
async function expectFinding(
  expected: Finding,
  names: readonly DomainName[],
  source: Source,
  { clock, timeoutMs }: Controls,
): Promise<ControlOutcome> {
  for (const name of names) {
    const { finding, replyForm } = await lookUpControl(source, name, clock.now() + timeoutMs);
    if (finding === expected) return { result: 'passed', replyForm };
    if (finding === 'inconclusive' || finding === 'not_sent') return { result: finding };
  }
  return { result: 'failed' };
}

async function lookUpControl(
  source: Source,
  name: DomainName,
  queueDeadline: number,
): Promise<ControlAnswer> {
  const query = { name: splitName(name), detail: 'verdict' } as const;
  const { data, problem, provenance } = await source.lookup(query, checkRequest(queueDeadline));
  if (data?.verdict === 'AVAILABLE')
    return { finding: 'available', replyForm: provenance.replyForm };
  if (data) return { finding: 'taken' };
  if (provenance.sentAt === undefined) return { finding: 'not_sent' };
  return { finding: unclearCodes.has(problem?.code) ? 'unclear' : 'inconclusive' };
}

const unclearCodes: ReadonlySet<string | undefined> = new Set<ProblemCode>([
  'untrusted_answer',
  'whois_unclear',
]);

/** Returns a name that is certainly not registered. */
function randomName(suffix: string): DomainName {
  return parseDomainName(`${randomLabel()}.${suffix}`);
}
