// Kills the whole gateway with SIGKILL under load, at random moments, and counts what was lost or doubled: `node test/soak/credits-kill.ts [rounds]`.
import { killGateway } from '../support/killed-gateway.ts';
import { scratch } from '../support/scratch.ts';

await using folder = await scratch();
console.log(await killGateway(Number(process.argv[2] ?? 300), folder.path));
