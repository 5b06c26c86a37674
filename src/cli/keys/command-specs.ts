import { basename } from 'node:path';
import table from './commands.json' with { type: 'json' };
import { change, create, list, revoke, rotate, signing, usage, type Command } from './commands.ts';
import { systemClock } from '../../clock.ts';
import { readPlan, readPlanChange, type PlanTexts } from '../../accounts/plan-text.ts';
import { CommandError } from '../command-error.ts';
import type { Program } from '../command-line.ts';

interface CommandOptions extends PlanTexts {
  readonly documents?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export type CommandName = keyof typeof table.commands;

export const keysProgram: Program<CommandName> = {
  name: basename(process.argv[1] ?? '') === 'keys.ts' ? 'npm run -s keys --' : 'rdap-gateway keys',
  summary: 'Manages the API keys in the store at STORE_URL, also while gateways use it.',
  ...table,
  exitCode: 2,
};

/** Returns what runs a command. Throws `CommandError` or `InvalidPlanError` if an option is not valid. */
export const toCommand: Readonly<
  Record<CommandName, (options: CommandOptions, account: string) => Command>
> = {
  create: ({ json = false, force = false, documents, ...plan }) =>
    create(readPlan(plan, systemClock.now()), { documents, force, json }),
  list: ({ json = false }) => list(json),
  usage: ({ json = false }) => usage(json),
  set: ({ documents, ...options }, account) => {
    const plan = readPlanChange(options, systemClock.now());
    if (documents === undefined && Object.keys(plan).length === 0)
      throw new CommandError(
        2,
        '`set` requires --credits, --rate, --origin, --expires, --role or --documents.',
      );
    return change(account, plan, documents);
  },
  rotate: ({ json = false }, account) => rotate(account, json),
  revoke: (_options, account) => revoke(account),
  signing: (_options, action) => signing(action),
};
