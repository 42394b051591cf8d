import { type AgentEvent, MAIN_AGENT } from '../../../shared/agent-event';
import type { Task } from '../../../shared/task';
import type { HeadlessSession } from '../../app/headless-session';
import type { Json } from './api-shape';
import type { Printer, PrinterParts } from './printer';

/** Tells a program whether its session works, waits for an answer, or for the next prompt, and which tasks run behind it. */
export interface SessionStates {
  /** Prints an event, and what it changes. */
  readonly printer: Printer;
  /** A prompt is being answered. */
  running(): Promise<void>;
  /** The session waits for the next prompt. */
  idle(): Promise<void>;
}

/** Creates what tells of the states of one session. */
export function createSessionStates(
  printer: Printer,
  session: Pick<HeadlessSession, 'sessionId'>,
  { uuid }: Pick<PrinterParts, 'uuid'>,
): SessionStates {
  let told = '';
  const asked = new Set<string>();
  const background = new Map<string, Task>();
  const say = (fields: Json) =>
    printer.control({ type: 'system', ...fields, uuid: uuid(), session_id: session.sessionId });
  const turn = async (state: 'idle' | 'running' | 'requires_action') => {
    if (state === told) return;
    told = state;
    await say({ subtype: 'session_state_changed', state });
  };
  const tasks = async (change: () => boolean | undefined) => {
    if (change() !== true) return;
    const live = [...background.values()].map(({ id, type, title }) => ({
      task_id: id,
      task_type: type,
      description: title,
    }));
    await say({ subtype: 'background_tasks_changed', tasks: live });
  };
  const follow = async (event: AgentEvent) => {
    if (event.type === 'approval_requested') asked.add(event.approval.id);
    if (event.type === 'approval_answered' || event.type === 'approval_withdrawn')
      asked.delete(event.approvalId);
    if (event.type.startsWith('approval_'))
      await turn(asked.size > 0 ? 'requires_action' : 'running');
    if (event.type === 'task_started' && event.task.isBackgrounded) {
      const { task } = event;
      await tasks(() => !background.has(task.id) && background.set(task.id, task).size > 0);
    }
    if (event.type === 'task_settled') await tasks(() => background.delete(event.task.id));
  };
  return {
    printer: {
      ...printer,
      event: async (event, agentId) => {
        await printer.event(event, agentId);
        if (event.type === 'query_started' && agentId === MAIN_AGENT) await turn('running');
        await follow(event);
      },
    },
    running: () => turn('running'),
    idle: () => turn('idle'),
  };
}
