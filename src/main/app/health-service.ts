import type { Finding, HealthView, HostHealth, SessionHealth } from '../../shared/health';
import { ok, type Result } from '../../shared/result';
import type { SessionRuntime } from '../engine/session/session-runtime';
import type { TerminalService } from './terminal-service';

/** Reports the state of Lathe itself (docs/spec.md M10). */
export interface HealthService {
  /** Returns what is used and what waits at the moment. */
  view(): Promise<Result<HealthView>>;
  /** Looks at everything Lathe depends on. */
  examine(project: string): Promise<Result<readonly Finding[]>>;
}

export interface HealthServiceOptions {
  readonly host: () => HostHealth;
  readonly runtimes: () => readonly SessionRuntime[];
  readonly idleLimit: number;
  readonly terminals: Pick<TerminalService, 'list' | 'processes'>;
  readonly examine: (project: string) => Promise<readonly Finding[]>;
}

/** Creates the service. */
export function createHealthService(options: HealthServiceOptions): HealthService {
  /** The examination that is under way, by folder: it starts programs, and one is enough for all windows. */
  const underWay = new Map<string, Promise<readonly Finding[]>>();
  return {
    view: async () => {
      const terminals = await options.terminals.list();
      const trees = await options.terminals.processes();
      const processes = trees.ok ? trees.value.flatMap((tree) => tree.processes) : [];
      const running = terminals.filter(({ endedAt }) => endedAt === undefined).length;
      return ok({
        host: options.host(),
        sessions: options.runtimes().map(sessionHealth),
        idleLimit: options.idleLimit,
        terminals: {
          ...{ running, ended: terminals.length - running, processes: processes.length },
          memory: processes.reduce((sum, { memory }) => sum + (memory ?? 0), 0),
        },
      });
    },
    examine: async (project) => {
      const looking =
        underWay.get(project) ?? options.examine(project).finally(() => underWay.delete(project));
      underWay.set(project, looking);
      return ok(await looking);
    },
  };
}

function sessionHealth(runtime: SessionRuntime): SessionHealth {
  const { log, main } = runtime.session;
  const { committed, active, title } = log.transcript();
  return {
    ...{ id: log.sessionId, title: title || log.sessionId, running: main.engine.isRunning },
    ...{ rows: committed.length + active.length, queued: main.engine.queue.length },
    ...log.load(),
  };
}
