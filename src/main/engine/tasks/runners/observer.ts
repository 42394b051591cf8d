import { ok } from '../../../../shared/result';
import { reportNotice } from '../notification';
import type { TaskRunner } from '../task-runner';
import { type AgentWork, localAgent } from './local-agent';

/** A sub-agent that looks on at another. */
export interface ObserverWork extends AgentWork {
  /** Calls back with each of its reports, those it made before too. */
  onReport(listener: (report: string) => void): void;
}

/** Sub-agents that look on at others: what they report is told at once, and nobody is woken by their end. */
export const observer: TaskRunner<ObserverWork> = {
  type: 'observer',
  idPrefix: 'o',
  kind: 'Observer',
  start: async (work, host) => {
    const started = await localAgent.start(work, host);
    if (!started.ok) return started;
    work.onReport((report) => host.tell(reportNotice(host, observer.type, report), 0));
    const settled = started.value.settled.then((end) => ({ ...end, quiet: true as const }));
    return ok({ ...started.value, settled });
  },
};
