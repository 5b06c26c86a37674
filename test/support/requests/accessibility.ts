import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Returns what axe finds in a page whose policy is bypassed, or in an element of it: the rules that
 * are violated, and by what.
 */
export async function accessibilityViolations(
  page: Page,
  { within = 'html', ...options }: RunOptions & { readonly within?: string } = {},
): Promise<readonly unknown[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe);
  // By default, the results have everything that passed, too, which is half a megabyte.
  const all = JSON.stringify({ ...options, resultTypes: ['violations'] });
  const { violations } = await page.evaluate<AxeResults>(`axe.run('${within}', ${all})`);
  return violations.map(({ id, nodes }) => [
    id,
    nodes.map(({ html, failureSummary }) => [html.slice(0, 200), failureSummary]),
  ]);
}
