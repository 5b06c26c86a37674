import SchemaBuilder from '@pothos/core';
import type { Context } from '../src/context.ts';
import type { Json } from '../src/domain/registration.ts';
import { tldSets } from '../src/domain/tld-sets.ts';

/** Fields are non-null unless they say otherwise, as in the contract. */
export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: string; Output: string | number };
    JSON: { Input: Json; Output: Json };
  };
}>({ defaultFieldNullability: false });

/** What `maxAge` means, at every field that takes it. */
export const maxAge =
  'The oldest stored answer that will do, in seconds; 0 asks the registry. A stored "free" is never older than an hour. Without it, answers ' +
  'are fresh for 5 minutes (free, or on their way out), an hour (reserved, or within a week of expiry) or a day.';

/** The named sets, each with its `@`. */
export const setNames: readonly string[] = Object.keys(tldSets).map((name) => `\`@${name}\``);

/** The arguments of a search, the same wherever one is. */
export const searchArgs = () =>
  builder.args((t) => ({
    name: t.string({ description: 'The label to look up under each of `tlds`.' }),
    tlds: t.stringList({
      description: `TLDs or longer suffixes, such as \`com\` or \`co.uk\`, or sets (${setNames.join(', ')}); a leading dot is forgiven.`,
    }),
    domains: t.stringList({ description: 'Whole names, in place of `name` and `tlds`.' }),
    maxAge: t.int({ description: maxAge }),
  }));
