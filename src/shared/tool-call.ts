import { z } from 'zod';
import { Question, QuestionAnswer } from './question';
import { TaskStatus } from './task';

/** One changed region of a file. Lines carry their mark: ' ', '+' or '-'. Line numbers start at 1. */
export const DiffHunk = z.object({
  oldStart: z.number(),
  newStart: z.number(),
  lines: z.array(z.string()),
});
export type DiffHunk = z.infer<typeof DiffHunk>;

export const TodoItem = z.object({
  content: z.string(),
  activeForm: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type TodoItem = z.infer<typeof TodoItem>;

/**
 * The view of one call on screen. Serialisable, chosen by kind and never by tool name, so that the
 * screen needs one card per kind. Texts in it are bounded by the tool (a preview, not the whole).
 */
export const ToolView = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('shell'),
    command: z.string(),
    description: z.string().optional(),
    /** The last lines of plain output. */
    tail: z.string(),
    totalLines: z.number(),
    /** Bytes of output so far. */
    totalBytes: z.number().optional(),
    exitCode: z.number().nullable(),
    /** The reason it ended otherwise than by itself, or what the exit code means ("no match"). */
    note: z.string().optional(),
    taskId: z.string().optional(),
    /** The status of that task then. */
    taskStatus: TaskStatus.optional(),
    /** The place in the task's output file up to which the model has read, in bytes. */
    readTo: z.number().optional(),
    terminalId: z.string().optional(),
    background: z.boolean(),
    /** The time it may run in the foreground, in milliseconds. */
    timeoutMs: z.number().optional(),
    /** At its time limit it goes on in the background instead of being ended. */
    movesAtLimit: z.boolean().optional(),
    /** It has been silent for a while and its last line looks like a question. */
    waitsForInput: z.boolean().optional(),
    /** It runs in the sandbox. */
    sandboxed: z.boolean().optional(),
    /** The acts that the sandbox did not allow: "writing /etc/hosts", "reaching example.com:443". */
    blocked: z.array(z.string()).optional(),
  }),
  z.object({
    kind: z.literal('diff'),
    path: z.string(),
    created: z.boolean(),
    added: z.number(),
    removed: z.number(),
    hunks: z.array(DiffHunk),
  }),
  z.object({
    kind: z.literal('file'),
    path: z.string(),
    startLine: z.number(),
    lineCount: z.number(),
    totalLines: z.number(),
    preview: z.string(),
  }),
  z.object({
    kind: z.literal('search'),
    pattern: z.string(),
    path: z.string(),
    matches: z.number(),
    truncated: z.boolean(),
    preview: z.string(),
  }),
  z.object({ kind: z.literal('todo'), items: z.array(TodoItem) }),
  z.object({
    kind: z.literal('question'),
    questions: z.array(Question),
    /** One for each question; null when the user declined, absent while they think. */
    answers: z.array(QuestionAnswer).nullable().optional(),
  }),
  z.object({
    kind: z.literal('plan'),
    /** As it stands now: with the user's changes once they approved it. */
    plan: z.string(),
    state: z.enum(['proposed', 'approved', 'rejected']),
    /** The user changed it before approving. */
    edited: z.boolean(),
    feedback: z.string().optional(),
  }),
  z.object({
    kind: z.literal('agent'),
    /** The sub-agent whose conversation the card opens. */
    agentId: z.string(),
    type: z.string(),
    title: z.string(),
    /** The last thing it did, in one line. */
    lastLine: z.string(),
    /** Calls it has made. */
    calls: z.number(),
    costUsd: z.number(),
    /** The background task it goes on as. */
    taskId: z.string().optional(),
  }),
  z.object({
    kind: z.literal('generic'),
    title: z.string(),
    detail: z.string(),
  }),
]);
export type ToolView = z.infer<typeof ToolView>;

/** The status of a call. */
export const CallStatus = z.enum([
  'receiving', // its input is still streaming
  'queued', // waits for calls before it
  'approval', // waits for the user
  'running',
  'done',
  'failed',
  'denied',
  'cancelled',
]);
export type CallStatus = z.infer<typeof CallStatus>;

/** A call that a hook deferred: it has no result until the session is resumed. */
export const DeferredCall = z.object({
  id: z.string(),
  name: z.string(),
  /** As the model wrote it. */
  input: z.record(z.string(), z.unknown()),
});
export type DeferredCall = z.infer<typeof DeferredCall>;

/** One line for people: verb and target, e.g. "Read" "src/auth.ts". */
export const CallTitle = z.object({ verb: z.string(), target: z.string() });
export type CallTitle = z.infer<typeof CallTitle>;

/** Returns a target as people are shown it: a path inside the project from its root, anything else as it is. */
export const fromProject = (target: string, project: string): string =>
  project !== '' && target.startsWith(`${project}/`) ? target.slice(project.length + 1) : target;
