import { styleText } from 'node:util';
import { printable } from '../../shared/printable.ts';

/** Formats a JSON log line for a person: time, level, message, fields, and a stack trace if any. */
export function prettyLine(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line);
  const text = [
    styleText('dim', new Date(time).toTimeString().slice(0, 8)),
    styleText(levelStyles[String(level)] ?? 'reset', String(level).padEnd(5)),
    printable(String(msg ?? '')),
    ...Object.entries(fields).map(([name, value]) =>
      styleText('dim', `${name}=${printable(JSON.stringify(value))}`),
    ),
  ].join(' ');
  const stack = err?.stack ?? err?.message;

  return stack === undefined ? `${text}\n` : `${text}\n${indented(String(stack))}\n`;
}

const levelStyles: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  fatal: ['bold', 'red'],
  error: 'red',
  warn: 'yellow',
  info: 'green',
  debug: 'blue',
  trace: 'blue',
};

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${printable(line)}`)
    .join('\n');
}
