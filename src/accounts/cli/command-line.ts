import { parseArgs } from 'node:util';
import { change, create, list, revoke, rotate, usage, type Command } from './commands.ts';
import { readPlan, readPlanChange, type WrittenPlan } from './plan-options.ts';
import { Refusal } from './cli-error.ts';

export const usageText = `Usage:
  npm run -s keys -- create --name NAME [--credits N] [--origin URL]... [--json]
  npm run -s keys -- list
  npm run -s keys -- usage
  npm run -s keys -- set ID [--credits N|free] [--origin URL|any]...
  npm run -s keys -- rotate ID [--json]
  npm run -s keys -- revoke ID`;

/** How a command is written. */
interface Form {
  readonly takesId: boolean;
  readonly options: readonly string[];
  /** Whether it may be the first that is done in a store; the others would find nothing in one that they made. */
  readonly makesStore?: true;
  readonly read: (written: Written, id: string) => Command;
}

interface Written extends WrittenPlan {
  readonly json?: boolean;
}

const forms: Readonly<Record<string, Form>> = {
  create: {
    takesId: false,
    options: ['name', 'credits', 'origin', 'json'],
    makesStore: true,
    read: ({ json = false, ...plan }) => create(readPlan(plan), json),
  },
  list: { takesId: false, options: [], read: () => list },
  usage: { takesId: false, options: [], read: () => usage },
  set: {
    takesId: true,
    options: ['credits', 'origin'],
    read: (written, id) => change(id, readSetting(written)),
  },
  rotate: { takesId: true, options: ['json'], read: ({ json = false }, id) => rotate(id, json) },
  revoke: { takesId: true, options: [], read: (_written, id) => revoke(id) },
};

export interface CommandLine {
  readonly command: Command;
  readonly makesStore: boolean;
}

/** Reads what stands behind `keys`; undefined when it asks how that is used. Throws `Refusal`. */
export function readCommandLine(args: readonly string[]): CommandLine | undefined {
  const {
    values: { help, ...written },
    positionals: [name, ...more],
  } = readArgs(args);
  if (help) return undefined;
  if (name === undefined) throw misused('A command is missing.');
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (!form) throw misused(`There is no command ${JSON.stringify(name)}.`);
  const unknown = Object.keys(written).find((option) => !form.options.includes(option));
  if (unknown) throw misused(`${name} takes no --${unknown}.`);
  const [id = ''] = more;
  if (form.takesId && !id)
    throw misused(`${name} needs the id of an account; \`list\` shows them all.`);
  const tooMuch = more[form.takesId ? 1 : 0];
  if (tooMuch !== undefined) throw misused(`${name} takes no ${JSON.stringify(tooMuch)}.`);
  return { command: form.read(written, id), makesStore: form.makesStore ?? false };
}

function readArgs(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        credits: { type: 'string' },
        origin: { type: 'string', multiple: true },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    // Node's own words name the option at fault.
    throw misused(error instanceof Error ? error.message : String(error));
  }
}

function readSetting(written: WrittenPlan) {
  const setting = readPlanChange(written);
  if (Object.keys(setting).length === 0) throw misused('set needs --credits or --origin.');
  return setting;
}

function misused(why: string): Refusal {
  return new Refusal(2, `${why}\n${usageText}`);
}
