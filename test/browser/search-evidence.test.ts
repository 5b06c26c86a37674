import { describe, expect } from 'vitest';
import { accessibilityViolations } from '../support/requests/accessibility.ts';
import { it, soon } from '../support/requests/search-page.ts';

const overflowScript =
  '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector("#panel"))';

describe('the evidence in the panel', () => {
  it.for([
    { name: 'taken.test', says: 'is registered: proved', width: 390, colorScheme: 'light' },
    { name: 'free.whois-only.test', says: 'available: likely', width: 1280, colorScheme: 'dark' },
    { name: 'taken.contradicted.test', says: 'Why unknown?', width: 390, colorScheme: 'dark' },
    { name: 'down.test', says: 'Why unknown?', width: 1280, colorScheme: 'light' },
  ] as const)(
    'of $name is a picture that fits and can be read ($width px, $colorScheme)',
    async ({ name, says, width, colorScheme }, { openPage }) => {
      const context = { colorScheme, bypassCSP: true, viewport: { width, height: 900 } };
      const { page, panel } = await openPage({ search: `?d=${name}`, context });
      const picture = panel.locator('figure');
      await soon(() => picture.innerText()).toContain(says);
      await soon(() => page.evaluate('document.styleSheets.length')).toBeGreaterThan(2);
      expect(await picture.getByRole('row').count()).toBeGreaterThan(1);
      expect(await page.evaluate(overflowScript)).toBe(0);
      expect(await accessibilityViolations(page, { within: 'figure' })).toEqual([]);
    },
  );
});
