import { compileFunction } from 'node:vm';
import { codeBlocksIn, guideText } from '../support/checks/guides.ts';

/**
 * Runs the program in `docs/reference/federation.md` that sets a constant, and returns its value. `given`: the
 * values of the names that the program does not declare. `addresses`: other texts for those in it.
 */
export function constantInGuide<T>(
  name: string,
  given: Readonly<Record<string, unknown>>,
  addresses: Readonly<Record<string, string>> = {},
): T {
  const blocks = codeBlocksIn(guideText('federation'));
  const block = blocks.find(({ code }) => code.includes(`const ${name} =`));
  if (!block) throw new Error(`The guide does not set ${name}.`);

  let code = block.code.replace('export const', 'const');
  for (const [address, other] of Object.entries(addresses)) code = code.replaceAll(address, other);
  return compileFunction(`${code}\nreturn ${name};`, Object.keys(given))(...Object.values(given));
}
