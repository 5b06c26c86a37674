import { createHash, randomInt } from 'node:crypto';

/** What is left to chance, so that a lookup can be repeated with the same choices. */
export interface Chance {
  /** Returns a label that is certainly not registered under a suffix. */
  label(suffix: string): string;
  /** Returns where a server comes in the order of equal servers, from 0 to 1. */
  position(server: string): number;
}

const labelLength = 24;

/** Leaves everything to chance. */
export const random: Chance = {
  label: () => lettersOf(Array.from({ length: labelLength }, () => randomInt(26))),
  position: Math.random,
};

/** Returns choices that follow from a seed, so that a lookup can be repeated. */
export function seededChance(seed: string): Chance {
  const labels = new Map<string, number>();
  const bytesOf = (...parts: readonly (string | number)[]) =>
    createHash('sha256')
      .update([seed, ...parts].join(' '))
      .digest();

  return {
    label(suffix) {
      const index = labels.get(suffix) ?? 0;
      labels.set(suffix, index + 1);
      return lettersOf([...bytesOf('label', suffix, index).subarray(0, labelLength)]);
    },
    position: (server) => bytesOf('server', server).readUInt32BE() / 2 ** 32,
  };
}

function lettersOf(numbers: readonly number[]): string {
  return numbers.map((number) => String.fromCharCode('a'.charCodeAt(0) + (number % 26))).join('');
}
