import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectFolder } from '../support/package/run.ts';

const vendor = join(projectFolder, 'src/website/vendor');

it.each(readdirSync(vendor))('the vendored files of %s include its license', (name) => {
  expect(readdirSync(join(vendor, name))).toContain('LICENSE');
});
