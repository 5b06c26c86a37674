import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../../README.md');
const heading = '## From a front end';

describe.skipIf(!readme.includes(heading))(`the README (skipped without a section "${heading}")`, () => {
  it.each(['apollo.ts', 'urql.ts', 'events.ts', 'typed.ts'])('shows test/clients/%s as it is tested', (file) => {
    expect(readme).toContain(`\`\`\`ts\n${read(file)}\`\`\`\n`);
  });
});
