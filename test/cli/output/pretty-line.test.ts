import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { prettyLine } from '../../../src/cli/output/pretty-line.ts';

const time = new Date(2026, 10, 23, 8, 45, 43).toISOString();
const format = (fields: object) =>
  stripVTControlCharacters(prettyLine(`${JSON.stringify({ level: 'warn', time, ...fields })}\n`));

describe('a readable log line', () => {
  it('has the local time, the level, the message and the fields', () => {
    expect(format({ msg: 'Failed.', host: 'rdap.example', failures: 3 })).toBe(
      '08:45:43 warn  Failed. host="rdap.example" failures=3\n',
    );
  });

  it('is followed by the stack trace of an error', () => {
    const err = { type: 'Error', message: 'broken', stack: 'Error: broken\n    at file.ts:1' };
    expect(format({ msg: 'Failed.', err })).toBe(
      '08:45:43 warn  Failed.\n    Error: broken\n        at file.ts:1\n',
    );
  });

  it('contains no control characters of the values, which could change the terminal', () => {
    const hostile = '\u001B[2J\r\u0007\u009B2J\u007F';
    const line = prettyLine(
      JSON.stringify({
        level: 'info',
        time,
        msg: hostile,
        field: hostile,
        err: { stack: hostile },
      }),
    );
    expect(stripVTControlCharacters(line).trimEnd().replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(line).not.toContain('\u001B[2J');
  });
});
