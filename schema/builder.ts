import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import type { Context } from '../src/execution/context.ts';
import type { Json } from '../src/domain/registration.ts';
import { nodeTypeOf, type NodeType } from '../src/domain/node-id.ts';
import { tldSets } from '../src/domain/tld-sets.ts';

/** Builds the schema. Fields, edges and nodes are non-null unless declared nullable. */
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
    // IDs are readable, not base64. The plugin would resolve each ID with a promise, so the types
    // define `id` themselves, and `Query` defines `node` and `nodes`.
    decodeGlobalID: (id) => ({ typename: nodeTypeOf(id), id }),
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodeTypeOptions: {
      description: 'An object that `Query.node` can fetch by its ID.',
      resolveType: (node) => typeOfNode(node as object),
    },
    idFieldOptions: {
      description: 'Unique across all types: a stable key for client caches.',
    },
    cursorType: 'String',
    edgesFieldOptions: { nullable: false, description: 'The edges of this page.' },
    nodesOnConnection: { description: 'The TLDs of this page, without their cursors.' },
    pageInfoFieldOptions: { description: 'Whether there are more pages, and their cursors.' },
    cursorFieldOptions: { description: 'Cursor for `after` and `before`.' },
    nodeFieldOptions: { nullable: false, description: 'The TLD.' },
    pageInfoTypeOptions: { description: 'Pagination of a Relay connection.' },
    hasNextPageFieldOptions: {
      description:
        'With `first`: whether more items follow. With `last`: whether `before` was given.',
    },
    hasPreviousPageFieldOptions: {
      description:
        'With `last`: whether more items precede. With `first`: whether `after` was given.',
    },
    startCursorFieldOptions: { description: 'Cursor of the first item on the page.' },
    endCursorFieldOptions: { description: 'Cursor of the last item on the page.' },
    firstArgOptions: {
      description:
        'Number of items from the start, at most 100. The default is 50, unless `last` is given.',
    },
    lastArgOptions: {
      description:
        'Number of items from the end, at most 100. If `first` is given too, it is applied before `last`.',
    },
    afterArgOptions: { description: 'Returns items after this cursor.' },
    beforeArgOptions: { description: 'Returns items before this cursor.' },
  },
});

/** Returns the type of a node, identified by a member that only this type has. */
function typeOfNode(node: object): NodeType {
  if ('outcome' in node) return 'Domain';
  return 'registryHost' in node ? 'Tld' : 'Registration';
}

/** The description of every `maxAge` argument. */
export const maxAgeDescription =
  'Maximum age of a cached answer, in seconds; 0 always queries the registry. A cached AVAILABLE answer is ' +
  'never older than an hour. By default, answers stay fresh for 5 minutes (available, in redemption or pending ' +
  'deletion), an hour (reserved, or within a week of expiry) or a day (all others).';

const Confirm = builder.enumType('Confirm', {
  description: 'Which verdicts the registry must confirm.',
  values: {
    ALL: {
      description:
        'All: each name is looked up at its registry, and the DNS is only used to check AVAILABLE, or if the registry ' +
        'fails.',
    },
    AVAILABLE: {
      description:
        'A fast search: a name that its parent zone delegates is REGISTERED with the source `dns`, even if its registry ' +
        'would report REDEMPTION or PENDING_DELETE. All other names are looked up at their registries.',
    },
  } as const,
});

/** The names of the TLD sets, with `@`, as code spans. */
export const tldSetNames: readonly string[] = Object.keys(tldSets).map((name) => `\`@${name}\``);

/** Returns the arguments that `domains` and `availability` share. */
export const searchArgs = () =>
  builder.args((t) => ({
    name: t.string({ description: 'Label to look up under each of `tlds`.' }),
    tlds: t.stringList({
      description: `TLDs or longer suffixes, such as \`com\` or \`co.uk\`, or sets (${tldSetNames.join(', ')}); a leading dot is ignored.`,
    }),
    domains: t.stringList({ description: 'Full domain names, instead of `name` and `tlds`.' }),
    maxAge: t.int({ description: maxAgeDescription }),
    confirm: t.field({
      type: Confirm,
      defaultValue: 'ALL',
      description:
        'Which verdicts the registry must confirm. If an operation requests a name with both values, `ALL` applies.',
    }),
  }));

builder.scalarType('DateTime', {
  description:
    'RFC 3339 date and time in UTC, such as `2026-01-31T00:00:00.000Z`. A registry date without a time zone is read as UTC.',
  // Dates of a registration are strings in this format already.
  serialize: (value) => (typeof value === 'string' ? value : new Date(value).toISOString()),
});

builder.scalarType('JSON', {
  description: "Any JSON value: a registry's raw RDAP object, as sent (RFC 9083).",
  serialize: (value) => value,
});
