import { lookupProblemCodes } from '../../domain/problems.ts';
import type { History } from '../../metrics/history.ts';
import { html, type Html } from '../docs/html.ts';

/** Draws the load, the latency, the credits and the unknown answers of the last two hours. */
export function operatorPlots(history: Pick<History, 'perMinute'>): Html {
  const per = (name: string, of: string, factor = 1) => {
    const all = history.perMinute(of);
    return history.perMinute(name).map((value, at) => (factor * value) / (all[at] || 1));
  };

  const requests = history.perMinute('requests');
  const reasons = lookupProblemCodes.map((code) => ({ code, shares: per(code, 'answers', 100) }));

  return html`${[
    plot('Requests per minute', requests),
    plot('Mean response time, ms', per('ms', 'timed')),
    plot('Credits per minute', history.perMinute('credits')),
    ...reasons
      .filter(({ shares }) => shares.some((share) => share > 0))
      .map(({ code, shares }) => plot(`Unknown: ${code}, % of answers`, shares)),
  ]}`;
}

const [width, height] = [240, 48];

function plot(title: string, values: readonly number[]): Html {
  const most = Math.max(...values);
  const point = (value: number, at: number) =>
    `${(at * width) / (values.length - 1)},${height - (value / (most || 1)) * height}`;
  const [now, top] = [values.at(-1) ?? 0, most].map((value) => Math.round(value * 10) / 10);
  const text = `now ${now}, at most ${top}`;

  return html`<figure>
    <figcaption>${title}: ${text}</figcaption>
    <svg viewBox="0 -2 ${width} ${height + 4}" role="img" aria-label="${title}: ${text}">
      <polyline points="${values.map(point).join(' ')}" />
    </svg>
  </figure>`;
}
