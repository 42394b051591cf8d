import { killTrees } from '../process/kill-tree';
import { findLeftovers } from '../process/ledger';
import { systemProcesses } from '../process/system-processes';

/** Between TERM and KILL (SPEC G4). Milliseconds. */
const GRACE_MS = 500;

/**
 * Ends what a host that was killed left running, and removes its ledger when nothing is left. Other hosts' leftovers are not
 * touched; a host that lives keeps everything.
 */
export async function finishHost(runFolder: string, hostId: string): Promise<void> {
  const processes = systemProcesses();
  const spared = new Set([process.pid]);
  const leftovers = async () =>
    (await findLeftovers(runFolder, await processes.list(), spared)).filter(
      ({ root }) => root.hostId === hostId,
    );
  const roots = (await leftovers()).map(({ root }) => root);
  if (roots.length === 0) return;
  await killTrees(roots, processes, { graceMs: GRACE_MS, spared, hangUp: true });
  await leftovers();
}

/** Waits for the end of our standard input; whether all was well until then. */
export async function endedWell(input: AsyncIterable<Uint8Array>): Promise<boolean> {
  let said = '';
  for await (const chunk of input) said = (said + Buffer.from(chunk).toString()).slice(0, 10);
  return said.trim() === 'done';
}
