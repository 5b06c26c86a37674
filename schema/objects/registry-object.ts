import type { RdapObject } from '../../src/domain/rdap-objects.ts';
import type { Context } from '../../src/execution/context.ts';
import { builder } from '../builder.ts';
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

RegistryObjectType.implement({
  description:
    'An object of a registry besides domains, looked up when one of its fields is selected. A failed lookup is not a ' +
    'GraphQL error: `found` is then null, and `problem` says why. An object that another one contains has the ' +
    "other's values of `found` to `evidence`.",
  fields: (t) => ({
    found: t.boolean({
      nullable: true,
      description:
        'Whether the registry has the object; null if it is unknown, as after a failed lookup.',
      resolve: outcomeField(({ data }) => (data === undefined ? null : data !== null)),
    }),
    problem: t.field({
      type: LookupProblemType,
      nullable: true,
      description: 'Why `found` is null; null otherwise.',
      resolve: outcomeField(({ problem }) => lookupProblem(problem)),
    }),
    rdapEndpoint: t.string({
      nullable: true,
      description: 'Base URL of the RDAP server that answered. Null if none was queried.',
      resolve: outcomeField(({ endpoint }) => endpoint),
    }),
    cached: t.boolean({
      description: 'Whether the answer came from the cache; see `checkedAt` for its time.',
      resolve: outcomeField(({ cached }) => cached),
    }),
    stale: t.boolean({
      description: 'Whether the registry failed and this is an older cached answer.',
      resolve: outcomeField(({ stale }) => stale),
    }),
  }),
});

builder.interfaceFields(RegistryObjectType, (t) => ({
  checkedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When the registry returned the answer.',
    resolve: outcomeField(({ checkedAt }) => checkedAt),
  }),
  freshUntil: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When this answer stops being fresh by default. Null without an answer.',
    resolve: outcomeField(({ freshUntil }) => freshUntil),
  }),
  latencyMs: t.float({
    description: 'How long this answer took, in milliseconds, including the time in the queue.',
    resolve: outcomeField(({ latencyMs }) => latencyMs),
  }),
  evidence: t.field({
    type: EvidenceType,
    nullable: true,
    description: 'The evidence for the answer. Null if no registry was queried.',
    resolve: outcomeField(({ evidence }) => evidence),
  }),
}));

builder.interfaceFields(RegistryObjectType, (t) => ({
  handle: t.string(field('handle', "The registry's identifier.")),
  statuses: t.stringList(
    list('statuses', 'Status values in lower case, such as `active` (RFC 9083 section 10.2.2).'),
  ),
  events: t.field({
    type: [EventType],
    ...list('events', 'All events, as the registry lists them.'),
  }),
  entities: t.field({
    type: [RelatedEntityType],
    description: 'Persons and organizations with a role for the object.',
    resolve: entitiesOf,
  }),
}));

builder.interfaceFields(RegistryObjectType, (t) => ({
  remarks: t.field({
    type: [RemarkType],
    ...list('remarks', 'Remarks of the registry.'),
  }),
  links: t.field({
    type: [LinkType],
    ...list('links', 'Links to web pages and other objects.'),
  }),
  redacted: t.field({
    type: [RedactionType],
    ...list(
      'redacted',
      'Values that the registry withheld. A value that was replaced by a placeholder is null and listed here.',
    ),
  }),
  raw: t.field({
    type: 'JSON',
    ...field('raw', "The registry's raw RDAP object, as sent."),
  }),
}));

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
