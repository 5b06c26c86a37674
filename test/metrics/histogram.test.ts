import { expect, it } from 'vitest';
import { createHistogram } from '../../src/metrics/histogram.ts';

it('what takes as long as a bucket allows is in it, and in all above', () => {
  const histogram = createHistogram('took_seconds', {
    section: 'Doors',
    type: 'histogram',
    labels: ['door'],
    meaning: 'How long.',
    buckets: [1, 2],
  });
  for (const seconds of [1, 1.5, 2, 3]) histogram.observe(['/'], seconds);
  expect(histogram.snapshot().values.map(({ labels, value, ...more }) => [more, labels['le'], value])).toEqual([
    [{ metricName: 'took_seconds_bucket' }, 1, 1],
    [{ metricName: 'took_seconds_bucket' }, 2, 3],
    [{ metricName: 'took_seconds_bucket' }, '+Inf', 4],
    [{ metricName: 'took_seconds_sum' }, undefined, 7.5],
    [{ metricName: 'took_seconds_count' }, undefined, 4],
  ]);
});
