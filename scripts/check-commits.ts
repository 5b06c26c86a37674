// Checks the subjects of new commits: `npm run check:commits`, or `npm run check:commits -- RANGE`.
// New commits are those that origin's default branch lacks; if there are none, as in a new clone,
// those since this file was added; if there are none, only HEAD.
import { execFileSync } from 'node:child_process';

const maxSubjectLength = 72;
const form = /^[A-Za-z.][\w., /-]*: (\S+)/;

/** Imperatives that end like another form. */
const imperatives = words('bring embed exceed feed need ping proceed seed shed speed');
const thirdPerson = words(
  'adds allows avoids calls changes checks counts drops fixes gives handles has is keeps lets ' +
    'limits logs makes moves reads rejects removes renames replaces returns runs sends sets ' +
    'shows splits starts stops stores takes tests updates uses waits writes',
);
const notVerbs = words(
  'a all an each every how it no nothing one that the these this what when where who',
);

interface Commit {
  readonly id: string;
  readonly subject: string;
}

const commits = newCommits(process.argv[2]);
const problems = commits.flatMap(({ id, subject }) =>
  problemsOf(subject).map((problem) => `${id} "${subject}" ${problem}`),
);
for (const problem of problems) console.log(problem);
console.log(`${commits.length} commits checked, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;

function problemsOf(subject: string): readonly string[] {
  const { length } = subject;
  const tooLong = `has ${length} characters: at most ${maxSubjectLength}, the rest in the body`;

  return [
    length > maxSubjectLength ? tooLong : undefined,
    subject.endsWith('.') ? 'ends with a period: remove it' : undefined,
    problemOfForm(subject),
  ].filter((problem) => problem !== undefined);
}

function problemOfForm(subject: string): string | undefined {
  const [, verb] = form.exec(subject) ?? [];
  if (verb === undefined) return 'has no area: write "area: imperative phrase"';
  if (isImperative(verb.toLowerCase())) return undefined;
  return `continues with "${verb}": start with an imperative verb, such as "add"`;
}

/** Returns whether a word may be an imperative: an approximation without a dictionary. */
function isImperative(word: string): boolean {
  if (imperatives.has(word)) return true;
  return !/(?:ed|ing)$/.test(word) && !thirdPerson.has(word) && !notVerbs.has(word);
}

function newCommits(range: string | undefined): readonly Commit[] {
  if (range !== undefined) return commitsOf(range);
  const bases = [...defaultBranch(), ...additionOf('scripts/check-commits.ts')];
  const groups = bases.map((base) => commitsOf(`${base}..HEAD`));
  return groups.find((group) => group.length > 0) ?? commitsOf('--max-count=1');
}

function commitsOf(revisions: string): readonly Commit[] {
  return linesOf('log', '--no-merges', '--format=%h %s', revisions).map((line) => {
    const [id = ''] = line.split(' ', 1);
    return { id, subject: line.slice(id.length + 1) };
  });
}

/** Returns the latest fetched commit of origin's default branch, if there is an origin. */
function defaultBranch(): readonly string[] {
  return linesOf('for-each-ref', '--format=%(objectname)', 'refs/remotes/origin/HEAD');
}

/** Returns the first commit that added a file; in a shallow clone, the oldest commit there is. */
function additionOf(file: string): readonly string[] {
  return linesOf('log', '--diff-filter=A', '--format=%H', '--', `:(top)${file}`).slice(-1);
}

function linesOf(...args: readonly string[]): readonly string[] {
  return execFileSync('git', args, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}
