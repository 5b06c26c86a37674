import * as v from 'valibot';
import { prices, priceTexts } from '../../execution/prices.ts';
import { readArguments, type Tool, type ToolCall } from './tool.ts';
import { described } from './shapes.ts';

const input = v.strictObject({}, 'an object');

const output = v.object({
  account: described(
    v.nullable(
      v.object({
        name: v.string(),
        credits_limit: described(v.number(), 'Credits per calendar month (UTC).'),
        credits_used: v.number(),
        credits_remaining: v.number(),
        resets_at: described(v.string(), 'Start of the next month, when credits are reset.'),
      }),
    ),
    'Null without an API key: calls are then not metered.',
  ),
});

/** The tool `account`: the balance of the caller. */
export const account: Tool = {
  name: 'account',
  title: 'Account and credits',
  description: `Returns the account of the API key with its credits. Free of charge. Prices in credits: check_domains with \`label\` and \`tlds\`: ${priceTexts.search}; with \`names\`: ${priceTexts.list}; lookup_domain: ${prices.record(1)}. Names without a verdict are refunded.`,
  input,
  output,
  run,
};

async function run(args: unknown, call: ToolCall) {
  readArguments(input, args);
  const { data } = await call.execute({ operation: 'account', mode: 'buffered', variables: {} });
  const structured = v.parse(output, data);
  const balance = structured.account;
  return {
    structured,
    lines: [
      balance
        ? `${balance.name}: ${balance.credits_remaining} of ${balance.credits_limit} credits left until ${balance.resets_at}.`
        : 'This call has no API key, so calls are not metered.',
    ],
  };
}
