import { Problem } from '../../domain/problems.ts';
import { keyOfPage, type Fact } from '../fact.ts';
import { robotsFact } from '../robots/robots-lookup.ts';
import { lookupOf, type ReadLookup, type SiteLookup } from '../site-lookup.ts';
import { pageAt } from '../site-target.ts';
import type { PageVisit } from './page-visit.ts';

export const pageFact: Fact<PageVisit> = {
  name: 'page',
  from: 'site',
  keyOf: keyOfPage,
  isTemporary: ({ problem }) => problem !== null,
  async open({ client, read }) {
    const { pageReader } = await import('./page-reader.ts');
    return pageReader({
      client,
      robotsOf: (url, request) => read(robotsFact, { target: pageAt(url) }, undefined, request),
    });
  },
};

const isCharged = ({ problem }: PageVisit) => problem === null;

export const pageLookup = lookupOf(pageFact, { price: 2, workMs: 12, about: 'page', isCharged });

export const identityLookup = lookupOf(pageFact, {
  name: 'identity',
  price: 2,
  workMs: 15,
  about: 'host',
  isCharged,
});

/** Reads a page for a lookup that has no result without one: its problem is that of the answer. */
export const readReadablePage: ReadLookup<PageVisit> = async (reader, ...query) => {
  const answer = await reader.read(pageFact, ...query);
  if ('problem' in answer || !answer.data.problem) return answer;
  const { code, detail } = answer.data.problem;
  const { cached, checkedAt } = answer;
  return { cached, checkedAt, problem: new Problem(code, detail) };
};

export const categoriesLookup: SiteLookup<PageVisit> = {
  name: 'categories',
  price: 3,
  workMs: 11,
  about: 'page',
  fact: pageFact,
  read: readReadablePage,
};
