import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import type { Context } from '../src/context.ts';
import type { Json } from '../src/domain/registration.ts';
import { nodeTypeOf, type NodeType } from '../src/domain/node-id.ts';
import { tldSets } from '../src/domain/tld-sets.ts';

/** Fields are non-null unless they say otherwise, as in the contract. */
export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: false;
  DefaultNodeNullability: false;
  Connection: { totalCount: number };
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: string; Output: string | number };
    JSON: { Input: Json; Output: Json };
  };
}>({
  plugins: [RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    // Ids are readable, so they are not base64. The plugin would resolve each by a promise, so the types define `id`, and `Query` its own
    // `node` and `nodes`.
    decodeGlobalID: (id) => ({ typename: nodeTypeOf(id), id }),
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodeTypeOptions: {
      description: 'An object that `Query.node` finds again by its id.',
      resolveType: (node) => typeOfNode(node as object),
    },
    idFieldOptions: {
      description: 'Unique among the objects of all types: a stable key for client caches.',
    },
    cursorType: 'String',
    edgesFieldOptions: { nullable: false, description: 'The TLDs with their cursors.' },
    nodesOnConnection: { description: 'The TLDs themselves.' },
    pageInfoFieldOptions: { description: 'The position of the page.' },
    cursorFieldOptions: { description: 'The cursor for `after` and `before`.' },
    nodeFieldOptions: { nullable: false, description: 'The TLD.' },
    pageInfoTypeOptions: { description: 'The position of a page (Relay cursor connections).' },
    hasNextPageFieldOptions: {
      description:
        'Of a page by `first`: more follow. Of one by `last`: `before` was given, so that its TLD follows.',
    },
    hasPreviousPageFieldOptions: {
      description:
        'Of a page by `last`: more precede. Of one by `first`: `after` was given, so that its TLD precedes.',
    },
    startCursorFieldOptions: { description: 'Cursor of the first.' },
    endCursorFieldOptions: { description: 'Cursor of the last.' },
    firstArgOptions: {
      description:
        'How many from the start, at most 100; 50 when both `first` and `last` are left out.',
    },
    lastArgOptions: {
      description:
        'How many from the end, at most 100; of those that `first` selects, if both are given.',
    },
    afterArgOptions: { description: 'The cursor behind which the page begins.' },
    beforeArgOptions: { description: 'The cursor in front of which the page ends.' },
  },
});

/** Tells the three types apart by a member that only one has. */
function typeOfNode(node: object): NodeType {
  if ('outcome' in node) return 'Domain';
  return 'registryHost' in node ? 'Tld' : 'Registration';
}

/** What `maxAge` means, at every field that takes it. */
export const maxAgeDescription =
  'The oldest stored answer that will do, in seconds; 0 asks the registry. A stored "free" is never older than an hour. Without it, answers ' +
  'are fresh for 5 minutes (free, or on their way out), an hour (reserved, or within a week of expiry) or a day.';

/** The named sets, each with its `@`. */
export const tldSetNames: readonly string[] = Object.keys(tldSets).map((name) => `\`@${name}\``);

/** The arguments of a search, the same wherever one is. */
export const searchArgs = () =>
  builder.args((t) => ({
    name: t.string({ description: 'The label to look up under each of `tlds`.' }),
    tlds: t.stringList({
      description: `TLDs or longer suffixes, such as \`com\` or \`co.uk\`, or sets (${tldSetNames.join(', ')}); a leading dot is forgiven.`,
    }),
    domains: t.stringList({ description: 'Whole names, in place of `name` and `tlds`.' }),
    maxAge: t.int({ description: maxAgeDescription }),
  }));
