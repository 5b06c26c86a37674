import { expect, it } from 'vitest';
import { printedReferences } from '../../scripts/references.ts';
import { guideText } from '../support/checks/guides.ts';

const printed = await printedReferences();

it.each([...printed.keys()])('docs/reference/%s.md is printed by `npm run schema`', (name) => {
  expect(guideText(name)).toBe(printed.get(name));
});
