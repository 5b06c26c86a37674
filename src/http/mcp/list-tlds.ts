import * as v from 'valibot';
import { tldSets } from '../../domain/tld-sets.ts';
import { readArguments, creditsOf, type Tool, type ToolCall } from './tool.ts';
import { creditsEntry, described } from './shapes.ts';

const sets = Object.entries(tldSets)
  .map(([name, { reason }]) => `- \`@${name}\`: ${reason}`)
  .join('\n');
const maxLimit = 100;
const limitRange = `a whole number from 1 to ${maxLimit}`;

const input = v.strictObject(
  {
    search: v.optional(described(v.string('a string'), 'Text that the TLD must contain.')),
    set: v.optional(described(v.string('a string'), 'A set of TLDs, such as `@popular`.')),
    limit: v.optional(
      described(
        v.pipe(
          v.number(limitRange),
          v.integer(limitRange),
          v.minValue(1, limitRange),
          v.maxValue(maxLimit, limitRange),
        ),
        `Maximum number of TLDs, up to ${maxLimit}. The default is ${maxLimit}.`,
      ),
    ),
    after: v.optional(
      described(v.string('a string'), '`next` of the previous page, to get the next one.'),
    ),
  },
  'an object',
);

const output = v.object({
  tlds: v.array(
    v.object({
      tld: v.string(),
      unicode: described(v.string(), 'The TLD for display, such as `рф`.'),
      sources: described(
        v.array(v.string()),
        '`rdap`, `das`, `whois` or `dns`, in order of preference. Empty if there are none.',
      ),
      proves_available: described(
        v.boolean(),
        'If false, names under this TLD are never available: at best, they are unknown.',
      ),
      policy: described(
        v.string(),
        'Who may register names: `open`, `restricted`, `brand`, `closed` or `unknown`.',
      ),
      rdap: described(v.boolean(), 'Whether registered names have a record.'),
    }),
  ),
  total: described(v.number(), 'Number of matching TLDs.'),
  next: described(v.nullable(v.string()), 'Pass it as `after` to get the next page.'),
  ...creditsEntry,
});

/** The tool `list_tlds`: the TLDs that can be looked up. */
export const listTlds: Tool = {
  name: 'list_tlds',
  title: 'List TLDs',
  description: `Lists the TLDs that can be looked up, with their sources. Free of charge. Sets of TLDs, which \`check_domains\` also accepts in \`tlds\`:\n${sets}`,
  input,
  output,
  run,
};

const page = v.object({
  tlds: v.object({
    total: v.number(),
    page: v.object({ hasNextPage: v.boolean(), endCursor: v.nullable(v.string()) }),
    tlds: v.array(
      v.object({
        tld: v.string(),
        unicode: v.string(),
        sources: v.array(v.object({ source: v.string() })),
        proves_available: v.boolean(),
        policy: v.string(),
        rdap: v.boolean(),
      }),
    ),
  }),
});

async function run(args: unknown, call: ToolCall) {
  const { search, set = '@all', limit = maxLimit, after } = readArguments(input, args);
  const { data, cost } = await call.execute({
    operation: 'tlds',
    mode: 'buffered',
    variables: { search, set, first: limit, after },
  });
  const { total, page: info, tlds } = v.parse(page, data).tlds;
  const rows = tlds.map(({ sources, policy, ...tld }) => ({
    ...tld,
    policy: policy.toLowerCase(),
    sources: sources.map(({ source }) => source),
  }));
  const next = info.hasNextPage ? info.endCursor : null;
  const labels = rows.map(({ tld }) => tld).join(', ');
  return {
    structured: { tlds: rows, total, next, ...creditsOf(cost) },
    lines: [
      `${rows.length} of ${total} TLDs: ${labels}`,
      ...(next === null ? [] : [`Next page: after ${next}`]),
    ],
  };
}
