import { err, fault } from '../../../shared/result';
import type { Terminals } from '../../engine/ports';
import type { HostLaunch } from '../client/host-link';
import { createTerminalClient } from '../client/terminal-client';
import { createOwnTerminals, type OwnTerminals, type OwnTerminalsOptions } from './own-terminals';

/** The error of a host that cannot be started. */
const NO_HOST = 'terminal_host';

/**
 * Creates the terminals of a run without windows. Commands that a call waits for run in this very process, which is quick and
 * ends them; background tasks run in the terminal host, where they outlive a kill of this process and the next run of their
 * session finds them. Where no host can be started they run here, too.
 */
export function createRunTerminals(
  options: OwnTerminalsOptions & { readonly guard: HostLaunch },
): OwnTerminals {
  const own = createOwnTerminals(options);
  const host = createTerminalClient({ runFolder: options.runFolder, launch: options.guard });
  /** The terminals in the host that this run started or took up; they end with it. */
  const ours = new Set<string>();
  /** All terminals of the host, when they were listed last, and those it may hold. */
  let hosted: ReadonlySet<string> = new Set();
  const placeOf = (id: string): Terminals => (ours.has(id) || hosted.has(id) ? host : own);
  const takeUp = (id: string): Terminals => {
    if (hosted.has(id)) ours.add(id);
    return placeOf(id);
  };
  let closed = false;
  return {
    spawn: async (spec) => {
      if (spec.outlives !== true) return own.spawn(spec);
      if (closed) return err(fault('terminals_closed', 'The terminals were closed.'));
      ours.add(spec.id);
      const info = await host.spawn(spec);
      if (info.ok) return info;
      ours.delete(spec.id);
      return info.error.code === NO_HOST ? own.spawn(spec) : info;
    },
    onProgress: (id, listener) => takeUp(id).onProgress(id, listener),
    exited: (id) => takeUp(id).exited(id),
    kill: (id, graceMs) => placeOf(id).kill(id, graceMs),
    list: async () => {
      const inHost = await host.list();
      hosted = new Set(inHost.map(({ id }) => id));
      return [...(await own.list()), ...inHost];
    },
    mayRun: async (id) => {
      const may = await host.mayRun(id);
      if (may) hosted = new Set([...hosted, id]);
      return may;
    },
    text: (id) => placeOf(id).text(id),
    dismiss: (id) => placeOf(id).dismiss(id),
    close: async () => {
      closed = true;
      await Promise.all([own.close(), host.leave([...ours])]);
    },
  };
}
