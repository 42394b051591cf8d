import type { HookSetting } from '../../../shared/hooks';
import type { HookEnd } from './reply';
import type { SessionHooks } from './session-hooks';

/** The parts that the hooks of all agents of a session share. */
export interface SharedHooks {
  /** Those of the main agent, for what is no agent's; null before it is there. */
  main: SessionHooks | null;
  /** Those that run no second time, once they ran. */
  readonly ranOnce: Set<string>;
  /** Has an agent find out for the agent `agentId` whether the condition of a hook holds. */
  verify: (
    agentId: string,
    hook: HookSetting,
    input: string,
    signal: AbortSignal,
  ) => Promise<HookEnd>;
}

/** Creates them for a session that is about to open. */
export const createSharedHooks = (): SharedHooks => ({
  main: null,
  ranOnce: new Set(),
  verify: async () => ({ kind: 'failed', message: 'the session is not open yet' }),
});
