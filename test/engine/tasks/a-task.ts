import type { Task } from '../../../src/shared/task';

/** Returns a running background command with what differs. */
export const aTask = (over: Partial<Task> = {}): Task => ({
  id: 'b_1',
  type: 'local_bash',
  kind: 'Background command',
  sessionId: 's',
  agentId: 'main',
  callId: 'toolu_1',
  title: 'npm test',
  status: 'running',
  isBackgrounded: true,
  startedAt: 1,
  outputFile: '/s/tasks/b_1.output',
  outputBytes: 0,
  outputLines: 0,
  lastLine: '',
  endTold: false,
  ...over,
});
