import type { RdapObject } from '../../src/domain/rdap-objects.ts';
import type { Context } from '../../src/execution/context.ts';
import type { ObjectOutcome } from '../../src/lookup/object-lookups.ts';
import { EvidenceType } from '../evidence.ts';
import { lookupProblem, LookupProblemType } from '../problem.ts';
import { EventType, RedactionType } from '../registration.ts';
import { entityReferences } from './lookups.ts';
import { counted, fieldOf, listFieldOf, outcomeField, type DataRow } from './object-row.ts';
import {
  LinkType,
  RegistryObjectType,
  RelatedEntityType,
  RemarkType,
  type EntityReference,
} from './types.ts';

const field = fieldOf<RdapObject>();
const list = listFieldOf<RdapObject>();
const member = <Key extends keyof ObjectOutcome>(key: Key) =>
  outcomeField((outcome) => outcome[key]);

RegistryObjectType.implement({
  fields: (t) => ({
    found: t.boolean({
      nullable: true,
      resolve: outcomeField(({ data }) => (data === undefined ? null : data !== null)),
    }),
    problem: t.field({
      type: LookupProblemType,
      nullable: true,
      resolve: outcomeField(({ problem }) => lookupProblem(problem)),
    }),
    rdapEndpoint: t.string({ nullable: true, resolve: member('endpoint') }),
    cached: t.boolean({ resolve: member('cached') }),
    stale: t.boolean({ resolve: member('stale') }),
    checkedAt: t.field({ type: 'DateTime', nullable: true, resolve: member('checkedAt') }),
    freshUntil: t.field({ type: 'DateTime', nullable: true, resolve: member('freshUntil') }),
    latencyMs: t.float({ resolve: member('latencyMs') }),
    evidence: t.field({ type: EvidenceType, nullable: true, resolve: member('evidence') }),
    handle: t.string(field('handle')),
    statuses: t.stringList(list('statuses')),
    events: t.field({ type: [EventType], ...list('events') }),
    entities: t.field({ type: [RelatedEntityType], resolve: entitiesOf }),
    remarks: t.field({ type: [RemarkType], ...list('remarks') }),
    links: t.field({ type: [LinkType], ...list('links') }),
    redacted: t.field({ type: [RedactionType], ...list('redacted') }),
    raw: t.field({ type: 'JSON', ...field('raw') }),
  }),
});

async function entitiesOf(
  row: DataRow<RdapObject>,
  _args: object,
  context: Context,
): Promise<EntityReference[]> {
  // The response will be rejected.
  if (context.lookup.objectValues.isExceeded) return [];
  const [data, { endpoint }] = await Promise.all([row.data(), row.outcome()]);
  await context.nextTurn('later');
  return data === null
    ? []
    : entityReferences(counted(data.entities, context), { baseUrl: endpoint, maxAge: row.maxAge });
}
