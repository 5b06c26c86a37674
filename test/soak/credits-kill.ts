// Kills the gateway with SIGKILL under load at random times, and counts lost and doubled credits:
// `node test/soak/credits-kill.ts [rounds] [seed]`.
import { killGateway } from '../support/stores/kill-gateway.ts';
import { seededRandom } from '../support/time/random.ts';
import { scratch } from '../support/stores/scratch.ts';

await using folder = await scratch();
const [rounds = '300', seed = String(Date.now() % 2 ** 32)] = process.argv.slice(2);
console.log({
  seed: Number(seed),
  ...(await killGateway(Number(rounds), folder.path, seededRandom(Number(seed)))),
});
