// Kills a process that charges with SIGKILL, at random moments, and counts what was lost or doubled: `node test/soak/ledger-kill.ts [rounds]`.
import { scratch } from '../support/scratch.ts';
import { killRounds } from '../support/killed-ledger.ts';

await using folder = await scratch();
console.log(await killRounds(Number(process.argv[2] ?? 300), `${folder.path}/ledger.db`));
