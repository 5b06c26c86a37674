import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { expect, it } from 'vitest';
import { guideText } from '../support/checks/guides.ts';

it.each(['apollo.ts', 'urql.ts', 'events.ts', 'typed.ts', 'fetch.js', 'use-domain-search.js'])(
  'the front-end guide contains the tested file test/clients/%s unchanged',
  (file) => {
    const code = readFileSync(new URL(file, import.meta.url), 'utf8');
    expect(guideText('front-end-guide')).toContain(
      `\`\`\`${extname(file).slice(1)}\n${code}\`\`\`\n`,
    );
  },
);
