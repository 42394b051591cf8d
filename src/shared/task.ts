import { z } from 'zod';

/** Kinds of work that outlive the call that started them. SPEC G1. */
export const TaskType = z.enum([
  'local_bash',
  'local_agent',
  'remote_agent',
  'in_process_teammate',
  'local_workflow',
  'monitor',
  'dream',
]);
export type TaskType = z.infer<typeof TaskType>;

/** Terminal states (completed, failed, killed) never change. */
export const TaskStatus = z.enum(['pending', 'running', 'completed', 'failed', 'killed']);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** One task as every screen and tool sees it. Times are epoch milliseconds. */
export const Task = z.object({
  id: z.string(),
  type: TaskType,
  sessionId: z.string(),
  callId: z.string().optional(),
  title: z.string(),
  command: z.string().optional(),
  status: TaskStatus,
  startedAt: z.number(),
  endedAt: z.number().optional(),
  exitCode: z.number().nullable().optional(),
  terminalId: z.string().optional(),
  outputFile: z.string().optional(),
  /** Bytes written to `outputFile` so far. */
  outputBytes: z.number(),
  /** The last line of plain output, for the list. */
  lastLine: z.string(),
  /** Why it ended otherwise than by itself. */
  note: z.string().optional(),
});
export type Task = z.infer<typeof Task>;

/** Whether a status is final. */
export const isSettled = (status: TaskStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'killed';
