import * as v from 'valibot';
import { prices, priceTexts } from '../../execution/charging/prices.ts';
import { readArguments, type Tool, type ToolCall } from './tool.ts';
import answers from './answers.json' with { type: 'json' };
import { objectOf } from './shapes.ts';

const input = v.strictObject({}, 'an object');

interface Data {
  readonly account: {
    readonly name: string;
    readonly credits_limit: number;
    readonly credits_remaining: number;
    readonly resets_at: string;
  } | null;
}

/** The tool `account`: the balance of the caller. */
export const account: Tool = {
  name: 'account',
  title: 'Account and credits',
  description: `Returns the account of the API key with its credits. Free of charge. Prices in credits: check_domains with \`label\` and \`tlds\`: ${priceTexts.search}; with \`names\`: ${priceTexts.list}; lookup_domain: ${prices.record(1)}. Names without a verdict are refunded.`,
  input,
  output: objectOf(answers.account),
  run,
};

async function run(args: unknown, call: ToolCall) {
  readArguments(input, args);
  const { data } = await call.execute({ operation: 'account', variables: {} });
  const { account: balance } = data as Data;

  return {
    structured: { account: balance },
    lines: [
      balance
        ? `${balance.name}: ${balance.credits_remaining} of ${balance.credits_limit} credits left until ${balance.resets_at}.`
        : 'This call has no API key, so calls are not metered.',
    ],
  };
}
