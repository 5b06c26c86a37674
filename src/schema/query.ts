import type { Context } from '../execution/context.ts';
import { prices } from '../execution/charging/prices.ts';
import { fieldFacts } from '../execution/field-facts.ts';
import { parseRegistrationId, parseTldId, type NodeType } from '../domain/node-id.ts';
import { tldSets } from '../domain/names/tld-sets.ts';
import { builder, maxAgeDescription, searchArgs, tldSetNames } from './builder.ts';
import { AccountType } from './account.ts';
import { defaultFirst, tldPage } from '../domain/catalogue.ts';
import { DomainType, registrarRegistrationOf, registrationOf } from './domain.ts';
import { TldConnectionType, TldPolicy, TldType } from './tld.ts';

const tldSetList = Object.entries(tldSets)
  .map(([name, { reason }]) => `- \`@${name}\`: ${reason}`)
  .join('\n');

const ofOneName = { extensions: fieldFacts({ cost: prices.single(1) }) };

builder.queryType();

builder.queryFields((t) => ({
  domain: t.field({
    ...ofOneName,
    type: DomainType,
    nullable: true,
    args: {
      name: t.arg.string({ required: true }),
      tld: t.arg.string(),
      maxAge: t.arg.int({ description: maxAgeDescription }),
    },
    resolve: (_root, args, { lookup }) => lookup.single(args),
  }),
  account: t.field({
    type: AccountType,
    nullable: true,
    resolve: (_root, _args, { account }) => account(),
  }),
  domains: t.field({
    ...ofOneName,
    type: [DomainType],
    nullable: true,
    args: { ...searchArgs(), budgetMs: t.arg.int() },
    resolve: (_root, args, { lookup }) => [...lookup.search(args)],
  }),
  node: t.field({
    ...ofOneName,
    type: builder.nodeInterfaceRef(),
    nullable: true,
    args: { id: t.arg.globalID({ required: true }) },
    resolve: (_root, { id }, context) => nodeWithId(id, context),
  }),
  nodes: t.field({
    ...ofOneName,
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    args: { ids: t.arg.globalIDList({ required: true }) },
    resolve: (_root, { ids }, context) => ids.map((id) => nodeWithId(id, context)),
  }),
  tlds: t.connection(
    {
      type: TldType,
      nullable: true,
      extensions: fieldFacts({ freeList: { defaultRows: defaultFirst, fieldsPerRow: 5 } }),
      description: `All TLDs known to this gateway, in alphabetical order, or those of a set, in the order of the set; of \`@all\`, the ones that most people would try come first. With \`search\`, the TLD that the text is comes first, then those that begin with it. Selecting them costs no credits. The sets:\n\n${tldSetList}`,
      args: {
        search: t.arg.string(),
        provesAvailable: t.arg.boolean(),
        policy: t.arg({ type: [TldPolicy] }),
        set: t.arg.string({
          description: `A set: ${tldSetNames.join(', ')}; the \`tlds\` arguments accept the same sets. \`@all\`: the TLDs that can be looked up.`,
        }),
      },
      resolve: (_root, filter, { catalogue }) => tldPage(catalogue, filter),
    },
    TldConnectionType,
  ),
}));

/** Loaders by node type. Each returns null if no object has the ID. */
const loaders = {
  Domain: (id, { lookup }) => lookup.rowWithId(id),
  Registration: registrationWithId,
  Tld: (id, { catalogue }) => catalogue.find(parseTldId(id)) ?? null,
} as const satisfies Record<NodeType, (id: string, context: Context) => unknown>;

type LoadedNode = ReturnType<(typeof loaders)[NodeType]>;

function nodeWithId(
  { typename, id }: { readonly typename: string; readonly id: string },
  context: Context,
): LoadedNode {
  return loaders[typename as NodeType](id, context);
}

async function registrationWithId(id: string, { lookup }: Context) {
  const { source, domain } = parseRegistrationId(id) ?? {};
  const row = domain && lookup.rowWithId(domain);
  if (!row) return null;
  return source === 'registrar'
    ? registrarRegistrationOf(row, lookup)
    : registrationOf(row, lookup, source);
}
