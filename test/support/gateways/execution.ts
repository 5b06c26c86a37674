import {
  GraphQLDeferDirective,
  GraphQLSchema,
  specifiedDirectives,
  type GraphQLObjectType,
} from 'graphql';
import { systemClock } from '../../../src/clock.ts';
import type { Directory } from '../../../src/domain/directory.ts';
import { createAnswer, type Answer } from '../../../src/domain/answer.ts';
import type { Registry } from '../../../src/domain/source.ts';
import { Execution, type ExecutionOptions } from '../../../src/execution/execution.ts';
import { TimeSlices } from '../../../src/execution/time-slices.ts';
import { createLog } from '../../../src/log.ts';
import { createNameCapacity } from '../../../src/lookup/name-capacity.ts';
import { memoryAccounts } from '../../../src/storage/sqlite/accounts.ts';

const answer: Answer = createAnswer({ verdict: 'AVAILABLE' });

/** Names of every TLD are unregistered. */
function directoryOf(beforeAnswer: () => Promise<void>): Directory {
  const registry: Registry = {
    id: 'test',
    sources: [],
    readCache: async () => new Map(),
    lookup: async ({ name }, { observer }) => {
      observer?.onSent(name.ascii, false);
      await beforeAnswer();
      return answer;
    },
  };
  return { resolve: () => ({ registry, policy: { kind: 'UNKNOWN' } }) };
}

/**
 * Returns the execution of a schema of a test, whose fields may look names up and nothing else.
 * Registries wait for `beforeAnswer` after a lookup is sent.
 */
export function executionOf(
  query: GraphQLObjectType,
  overrides: Partial<ExecutionOptions> = {},
  beforeAnswer = () => Promise.resolve(),
): Execution {
  const clock = systemClock;
  const unused = {} as never;
  return new Execution({
    schemas: {
      base: new GraphQLSchema({ query }),
      full: new GraphQLSchema({
        query,
        directives: [...specifiedDirectives, GraphQLDeferDirective],
      }),
    },
    allowIntrospection: true,
    dnsFirst: true,
    directory: directoryOf(beforeAnswer),
    objects: unused,
    registrars: unused,
    catalogue: unused,
    timelines: unused,
    extensions: [],
    ledger: memoryAccounts({ clock, freeCredits: 0 }),
    log: createLog('silent'),
    clock,
    slices: new TimeSlices(),
    queueTimeouts: { buffered: 1000, streaming: 1000 },
    maxLookups: 10,
    maxEntries: 10,
    nameCapacity: createNameCapacity(),
    onOutcome: () => undefined,
    onRegistration: () => undefined,
    onObject: () => undefined,
    ...overrides,
  });
}
