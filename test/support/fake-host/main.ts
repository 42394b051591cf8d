import { buildPage } from './build-page';
import { createFakeEngine } from './fake-engine';
import { serveFake } from './serve';
import { fakeWorld } from './world';

/** Builds the page and serves each world at a port of its own; prints the addresses. */
export async function main(): Promise<void> {
  const page = await buildPage();
  for (const kind of ['fresh', 'demo', 'busy', 'asking'] as const) {
    const host = await serveFake(() => createFakeEngine(fakeWorld(kind, Date.now())), page);
    process.stdout.write(`${kind} ${host.url}\n`);
  }
}
