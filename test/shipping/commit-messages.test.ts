import { expect, it } from 'vitest';
import { ScratchRepository } from '../support/scratch-repository.ts';

/** Commits each subject in a new repository. */
async function repositoryOf(...subjects: readonly string[]): Promise<ScratchRepository> {
  const repository = await ScratchRepository.create();
  for (const subject of subjects) await repository.commit(subject);
  return repository;
}

const longest = `http: add ${'x'.repeat(62)}`;

it.each([
  'http: reject a body without a type',
  'readme, docs: embed the diagram',
  'search page: feed the grid from one subscription',
  'Dockerfile: use Node 26.10.0',
  longest,
])('accepts "%s"', async (subject) => {
  await using repository = await repositoryOf(subject);
  const { code, stdout } = await repository.script('check-commits.ts');
  expect(stdout).toBe('1 commits checked, 0 problems\n');
  expect(code).toBe(0);
});

it.each([
  [`${longest}x`, 'has 73 characters: at most 72'],
  ['http: reject a body without a type.', 'ends with a period'],
  ['Reject a body without a type', 'has no area'],
  ['fixup! http: reject a body', 'has no area'],
  ['http: rejected a body', 'continues with "rejected"'],
  ['http: rejecting a body', 'continues with "rejecting"'],
  ['http: rejects a body', 'continues with "rejects"'],
  ['http: a body without a type is rejected', 'continues with "a"'],
])('rejects "%s"', async (subject, problem) => {
  await using repository = await repositoryOf(subject);
  const { code, stdout } = await repository.script('check-commits.ts');
  expect(stdout).toContain(`"${subject}" ${problem}`);
  expect(code).toBe(1);
});

it('checks the range that it is given', async () => {
  await using repository = await repositoryOf('No area', 'http: add a', 'Nor here', 'http: add b');
  const { stdout } = await repository.script('check-commits.ts', 'HEAD~3..HEAD');
  expect(stdout).toContain('3 commits checked, 1 problems');
});

it('checks the commits of a branch that the default branch of origin lacks', async () => {
  await using origin = await repositoryOf('An old form', 'Another old form');
  await using clone = await ScratchRepository.create(`file://${origin.path}`);
  await clone.commit('http: add a');
  await clone.commit('No area');
  const { code, stdout } = await clone.script('check-commits.ts');
  expect(code).toBe(1);
  expect(stdout).toContain('2 commits checked, 1 problems');
});

it('checks a fresh clone from the commit on that added the check', async () => {
  await using origin = await repositoryOf('An old form');
  await origin.write('scripts/check-commits.ts', '');
  await origin.commit('check: add the check');
  await origin.commit('http: add a');
  await origin.commit('No area');
  await using clone = await ScratchRepository.create(`file://${origin.path}`);
  expect((await clone.script('check-commits.ts')).stdout).toContain('2 commits checked, 1 problem');
});

it('checks HEAD in a clone of depth 1', async () => {
  await using origin = await repositoryOf('An old form', 'No area');
  await using clone = await ScratchRepository.create('--depth=1', `file://${origin.path}`);
  expect((await clone.script('check-commits.ts')).stdout).toContain('1 commits checked, 1 problem');
});
