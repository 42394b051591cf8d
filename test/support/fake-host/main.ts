import { builtPage } from '../built-page';
import { createFakeEngine } from './fake-engine';
import { fakeScenario } from './scenario';
import { serveFake } from './serve';

/** Serves the built page with each scenario at a port of its own; prints the addresses. */
export async function main(): Promise<void> {
  const page = builtPage();
  for (const kind of ['fresh', 'demo', 'busy', 'asking'] as const) {
    const host = await serveFake(() => createFakeEngine(fakeScenario(kind, Date.now())), page);
    process.stdout.write(`${kind} ${host.url}\n`);
  }
}
