import * as v from 'valibot';
import { tldSets } from '../../domain/names/tld-sets.ts';
import { quoted } from '../../shared/printable.ts';
import { readArguments, creditsOf, type Tool, type ToolCall } from './tool.ts';
import answers from './answers.json' with { type: 'json' };
import { answerOf, optional, wholeNumber } from './shapes.ts';

const sets = Object.entries(tldSets)
  .map(([name, { reason }]) => `- \`@${name}\`: ${reason}`)
  .join('\n');
const maxLimit = 100;

const input = v.strictObject(
  {
    search: optional(
      v.string('a string'),
      'Text of up to 100 characters that the TLD contains, or what it is about: a country or its main language in English (`Switzerland`, `German`), or words of a set or a requirement (`startups`, `bank`).',
    ),
    proves_available: optional(
      v.boolean('true or false'),
      'True: only TLDs under which names can be proven available.',
    ),
    open_to_anyone: optional(
      v.boolean('true or false'),
      'True: only TLDs for which no restriction is documented (`policy` `open` or `unknown`). False: only restricted, brand, closed and unsold TLDs.',
    ),
    set: optional(v.string('a string'), 'A set of TLDs, such as `@popular`.'),
    limit: optional(
      wholeNumber(`a whole number from 1 to ${maxLimit}`, 1, maxLimit),
      `Maximum number of TLDs, up to ${maxLimit}. The default is ${maxLimit}.`,
    ),
    after: optional(v.string('a string'), '`next` of the previous page, to get the next one.'),
  },
  'an object',
);

/** The tool `list_tlds`: the TLDs that can be looked up. */
export const listTlds: Tool = {
  name: 'list_tlds',
  title: 'List TLDs',
  description: `Lists the TLDs that can be looked up, with their sources, and answers which of them can prove that a name is available (\`proves_available\`), and which are open to anyone (\`open_to_anyone\`). Names under restricted TLDs have requirements; under brand and closed TLDs, no name can be registered. A verdict from \`whois\` is \`heuristic\`; with \`dns\` alone, an unregistered name is unknown. The list is that of this gateway now, not a \`cached\` answer. Free of charge. Sets of TLDs, which \`check_domains\` also accepts in \`tlds\`:\n${sets}`,
  input,
  output: answerOf(answers.list_tlds),
  run,
};

interface Tld {
  readonly tld: string;
  readonly unicode: string;
  readonly sources: readonly { readonly source: string }[];
  readonly proves_available: boolean;
  readonly policy: string;
  readonly policy_detail: string | null;
  readonly rdap: boolean;
}

interface Page {
  readonly total: number;
  readonly page: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly tlds: readonly Tld[];
}

const policies = {
  open: ['OPEN', 'UNKNOWN'],
  limited: ['RESTRICTED', 'BRAND', 'CLOSED', 'NOT_SOLD'],
};

async function run(args: unknown, call: ToolCall) {
  const {
    set = '@all',
    limit = maxLimit,
    open_to_anyone: isOpen,
    ...filter
  } = readArguments(input, args);
  const { data, cost } = await call.execute({
    operation: 'tlds',
    variables: {
      ...filter,
      policy: isOpen === undefined ? undefined : policies[isOpen ? 'open' : 'limited'],
      set,
      first: limit,
    },
  });
  const { total, page: info, tlds } = (data as { readonly tlds: Page }).tlds;
  const rows = tlds.map(({ sources, policy, ...tld }) => ({
    ...tld,
    policy: policy.toLowerCase(),
    sources: sources.map(({ source }) => source),
  }));
  const next = info.hasNextPage ? info.endCursor : null;

  return {
    structured: { tlds: rows, total, next, ...creditsOf(cost) },
    lines: [
      rows.length === 0
        ? `No TLD matches${total === 0 ? '' : ` after ${quoted(filter.after ?? '')}`}. Call again with fewer or other arguments.`
        : `${rows.length} of ${total} TLDs: ${rows.map(textOfTld).join(', ')}`,
      ...(isOpen ? ['No restriction on who may register names there is documented.'] : []),
      ...(next === null ? [] : [`Next page: after ${next}`]),
    ],
  };
}

/** Returns a TLD with what keeps a caller from registering a name, or from proving that it is free. */
function textOfTld({ tld, ...row }: Pick<Tld, 'tld' | 'policy' | 'proves_available'>): string {
  const limits = [
    ...(['open', 'unknown'].includes(row.policy) ? [] : [row.policy]),
    ...(row.proves_available ? [] : ['cannot prove availability']),
  ];
  return limits.length === 0 ? tld : `${tld} (${limits.join('; ')})`;
}
