import * as v from 'valibot';
import { parseDomainName } from '../../domain/names/domain-name.ts';
import answers from './answers.json' with { type: 'json' };
import { answerOf, costText } from './shapes.ts';
import { creditsOf, readArguments, readName, type Tool, type ToolCall } from './tool.ts';

const input = v.strictObject({
  domain: v.pipe(v.string('a domain name'), v.description('The domain name, such as example.com.')),
});

interface Created {
  readonly domain: string;
  readonly verdict: string;
  readonly rule: string;
  readonly url: string;
}

/** The tool `create_receipt`: a signed record of a fresh lookup. */
export const createReceipt: Tool = {
  name: 'create_receipt',
  title: 'Create a receipt',
  description:
    'Looks one domain name up afresh, and keeps a signed record of everything that its sources answered, as evidence for others. `url` is a page that shows it; whoever has the link can read it. To find out only whether a name is available, use `check_domains`, which costs less.',
  input,
  output: answerOf(answers.receipt),
  annotations: { readOnlyHint: false, idempotentHint: false },
  run,
};

async function run(args: unknown, call: ToolCall) {
  const { domain: text } = readArguments(input, args);
  const domain = await readName('domain', text, parseDomainName, call);
  call.spendWork(1);

  const variables = { domain };
  const { data, cost } = await call.execute({ operation: 'receipt', mode: 'streaming', variables });
  const { createReceipt: created } = data as { createReceipt: Created };
  const receipt = { ...created, verdict: created.verdict.toLowerCase() };
  const { verdict, rule, url } = receipt;

  return {
    structured: { ...receipt, ...creditsOf(cost) },
    lines: [`${domain}: ${verdict}, by the rule ${rule}. Receipt: ${url}`, ...costText(cost)],
  };
}
