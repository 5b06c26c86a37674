import { describe, expect, it } from 'vitest';
import { parseDomainName } from '../../src/domain/names/domain-name.ts';
import {
  createAnswer,
  failedAnswer,
  type Answer,
  type Provenance,
} from '../../src/domain/answer.ts';
import { Problem } from '../../src/domain/problems.ts';
import { FailedNames } from '../../src/registries/failed-names.ts';
import { manualClock } from '../support/time/manual-clock.ts';

const numbered = (index: number) => parseDomainName(`fail${index}.example`);
const name = parseDomainName('fail.example');

function failure(changes: Partial<Provenance> = {}): Answer {
  const problem = new Problem('registry_error', 'The registry returned status 500.', {
    cause: new Error('for the log'),
  });
  return failedAnswer(problem, {
    failure: 'server_error',
    endpoint: 'https://rdap.example/',
    sentAt: 1,
    ...changes,
  });
}

describe('FailedNames', () => {
  it('returns the failure of a name for five seconds', () => {
    const clock = manualClock();
    const names = new FailedNames(clock);
    const evidence = { httpStatus: 500, mediaType: 'text/html', unproven: false };
    names.record(name, failure({ evidence }));
    clock.advance(4999);
    expect(names.get(name)).toMatchObject({
      ...failure({ evidence }),
      problem: { code: 'registry_error', cause: undefined },
    });
    clock.advance(1);
    expect(names.get(name)).toBeUndefined();
  });

  it('does not store verdicts, lookups that were not sent, or those of a busy registry', () => {
    const names = new FailedNames(manualClock());
    const registered = createAnswer({ verdict: 'REGISTERED' }, { sentAt: 1 });
    const { sentAt: _sentAt, ...unsent } = failure().provenance;
    for (const answer of [
      registered,
      { ...failure(), provenance: unsent },
      failure({ failure: 'busy' }),
    ])
      names.record(name, answer);
    expect(names.get(name)).toBeUndefined();
  });

  it('stores ten thousand names, without long texts from a registry', () => {
    const names = new FailedNames(manualClock());
    const evidence = { httpStatus: 500, mediaType: 'x'.repeat(10_000), unproven: false };
    for (let index = 0; index <= 10_000; index += 1)
      names.record(numbered(index), failure({ evidence }));
    expect(names.get(numbered(0))).toBeUndefined();
    expect(names.get(numbered(1))).toMatchObject({ problem: { code: 'registry_error' } });
    expect(names.get(numbered(10_000))?.provenance).toEqual(failure().provenance);
  });
});
