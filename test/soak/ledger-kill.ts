// Kills a charging process with SIGKILL at random times, and counts lost and doubled credits: `node
// test/soak/ledger-kill.ts [rounds]`.
import { scratch } from '../support/stores/scratch.ts';
import { killRounds } from '../support/stores/kill-ledger.ts';

await using folder = await scratch();
console.log(await killRounds(Number(process.argv[2] ?? 300), `${folder.path}/ledger.db`));
