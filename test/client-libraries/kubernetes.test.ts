import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../support/gateways/gateway.ts';
import { projectFolder } from '../support/package/run.ts';

const text = readFileSync(join(projectFolder, 'ops/kubernetes.yaml'), 'utf8');
const objects: Json[] = parseAllDocuments(text).map((document) => document.toJS());
const models = { Deployment, NetworkPolicy, PodDisruptionBudget, Secret, Service };

it.each(objects.map((object): [keyof typeof models, Json] => [object.kind, object]))(
  'ops/kubernetes.yaml conforms to the schema of %s, without unknown fields',
  (kind, object) => {
    const unread = new Set<string>();
    const { validate } = models[kind].prototype;
    validate.call(recordReads(object, '', unread));
    expect([...unread]).toEqual([]);
  },
);

/**
 * Returns a copy that removes the path of each member from `unread` when it is read. The schemas
 * allow unknown members, but `kubectl` rejects them; the validators read only those that they know.
 */
function recordReads(value: Json, path: string, unread: Set<string>): Json {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value) ? [] : {};
  for (const [key, member] of Object.entries<Json>(value)) {
    const memberPath = `${path}/${key}`;
    unread.add(memberPath);
    const copied = recordReads(member, memberPath, unread);
    Object.defineProperty(copy, key, {
      enumerable: true,
      configurable: true,
      get: () => {
        unread.delete(memberPath);
        return copied;
      },
    });
  }
  return copy;
}
