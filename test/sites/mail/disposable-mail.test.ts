import { describe, expect, it } from 'vitest';
import {
  pageOfDisposableMail,
  loadDisposableMail,
} from '../../../src/sites/mail/disposable-mail.ts';
import { problemOf } from '../../support/checks/problem-of.ts';

const text = '# throw-away\nB.test # late\r\n\n*.a.test\nnot a name\nbücher.test\n';
const ofFile = loadDisposableMail({ name: 'mine.txt', text, updatedAt: 5 });

describe('the list of disposable mail domains', () => {
  it('is that of the package', () => {
    const list = loadDisposableMail();
    expect(list).toMatchObject({ status: 'static_fallback', source: 'disposable-email-domains' });
    expect(list.domains.length).toBeGreaterThan(100_000);
    expect(list.domains).toEqual(list.domains.toSorted());
    expect(list.find('mailinator.com')).toEqual({
      isListed: true,
      matchedDomain: 'mailinator.com',
    });
    expect(list.find('example.com')).toEqual({ isListed: false, matchedDomain: null });
    expect(list.find('any.33m.co').matchedDomain).toBe('33m.co');
    expect(list.find('sub.0-180.com').isListed).toBe(false);
  });

  it('is that of a file', () => {
    expect(ofFile).toMatchObject({ status: 'file', source: 'mine.txt', updatedAt: 5 });
    expect(ofFile.domains).toEqual(['a.test', 'b.test', 'xn--bcher-kva.test']);
    expect(ofFile.find('x.y.a.test').matchedDomain).toBe('a.test');
    expect(ofFile.find('x.b.test').isListed).toBe(false);
    expect(ofFile.find('b.test').isListed).toBe(true);
    expect(ofFile.find('xa.test').isListed).toBe(false);
  });

  it('is read page by page, also if the last domain was removed', () => {
    const first = pageOfDisposableMail(ofFile.domains, { limit: 2 });
    expect(first).toMatchObject({ items: ['a.test', 'b.test'], total: 3 });
    const cursor = first.nextCursor ?? '';
    const rest = pageOfDisposableMail(['a.test', 'c.test'], { limit: 2, cursor });
    expect(rest).toEqual({ items: ['c.test'], total: 2, nextCursor: null });
    expect(pageOfDisposableMail(ofFile.domains, { limit: 1, offset: 1 }).items).toEqual(['b.test']);
  });

  it('rejects a cursor of something else', () => {
    const problem = problemOf(() =>
      pageOfDisposableMail(ofFile.domains, { limit: 2, cursor: 'IA' }),
    );
    expect(problem).toMatchObject({ code: 'invalid_parameter', param: 'after' });
  });
});
