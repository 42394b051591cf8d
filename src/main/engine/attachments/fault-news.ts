import type { FileNews } from '../lsp/diagnostics';
import type { LanguageServers } from '../lsp/language-servers';
import { shortPath } from '../tools/builtin/support/target';
import type { ToolEnvironment } from '../tools/environment';
import type { CollectedFact, Collector } from './attachment';

/** The language servers, as far as their news goes. */
export type FaultSource = Pick<LanguageServers, 'news' | 'settled'>;

/**
 * The longest that a turn waits for what servers see in a change: half of what a collector has (collect.ts), so that the other half
 * is left for whatever comes late. Milliseconds.
 */
export const WAIT_MS = 500;
/** Waits in vain, one after the other, behind which nobody waits until a server was in time again. */
const MAX_MISSED = 2;

/** Tells the agent of faults that its changes brought, each once; what comes too late is told a turn later. */
export function createFaultNews(
  servers: FaultSource,
  agent: string,
  env: Pick<ToolEnvironment, 'services' | 'agent' | 'session'>,
): Collector {
  const { clock } = env.services;
  let missed = 0;
  const collect = async (): Promise<readonly CollectedFact[]> => {
    const found = servers.news(agent);
    const accept = () => {
      for (const one of found) one.accept();
    };
    const faulty = found.filter(({ faults }) => faults.length > 0);
    if (faulty.length === 0) return [{ attachment: null, accept }];
    const isHidden = env.agent.hiddenFiles();
    const files = faulty.flatMap(({ path, faults }): readonly FileNews[] =>
      isHidden(path) ? [] : [{ file: shortPath(path, env), faults }],
    );
    const { newsText } = await import('../lsp/diagnostics');
    const text = newsText(files);
    return [{ attachment: text === null ? null : { kind: 'new_faults', text }, accept }];
  };
  return {
    name: 'new faults',
    collect: (_context, signal) => {
      const settled = servers.settled(agent);
      if (settled === null) {
        missed = 0;
        return servers.news(agent).length === 0 ? [] : collect();
      }
      if (missed >= MAX_MISSED) return collect();
      const over = new AbortController();
      const late = clock.sleep(WAIT_MS, AbortSignal.any([signal, over.signal])).then(() => true);
      return Promise.race([settled.then(() => false), late]).then((isLate) => {
        over.abort('over');
        missed = isLate ? missed + 1 : 0;
        return collect();
      });
    },
  };
}
