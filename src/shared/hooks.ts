import { z } from 'zod';
import { RuleSource } from './permission';

/** The moments at which hooks can run (docs/hooks.md), as far as Lathe has them. */
export const HookEvent = z.enum([
  'SessionStart',
  'Setup',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionDenied',
  'PostToolBatch',
  'TaskCreated',
  'TaskCompleted',
  'Notification',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'TeammateIdle',
  'PreCompact',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
  'Elicitation',
  'ElicitationResult',
  'MessageDisplay',
  'FileChanged',
  'WorktreeCreate',
  'WorktreeRemove',
  'CwdChanged',
  'DirectoryAdded',
  'ConfigChange',
  'InstructionsLoaded',
  'SessionEnd',
]);
export type HookEvent = z.infer<typeof HookEvent>;

/** Events at which a matcher has nothing to look at; it is ignored there. */
export const WITHOUT_SUBJECT: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'UserPromptSubmit',
  'PostToolBatch',
  'TaskCreated',
  'TaskCompleted',
  'Stop',
  'TeammateIdle',
  'PreModelSwitch',
  'PostModelSwitch',
  'MessageDisplay',
  'WorktreeCreate',
  'WorktreeRemove',
  'CwdChanged',
  'DirectoryAdded',
]);

/** One hook as a settings file has it. */
export const HookSetting = z.object({
  event: HookEvent,
  /** The subjects it is for: names, a pattern, or '' for all. */
  matcher: z.string(),
  /** `callback`: the program that drives Lathe runs it; no settings file has such a one. */
  type: z.enum(['command', 'http', 'prompt', 'agent', 'mcp_tool', 'callback']),
  /** The command, the address, the prompt, the tool as rules name it, or the name of the callback. */
  run: z.string(),
  /** With arguments a command is a program and no shell is involved. */
  args: z.array(z.string()).optional(),
  shell: z.enum(['bash', 'powershell']).optional(),
  /** For `http`: `$NAME` stands for a variable named in `allowedEnvVars`. */
  headers: z.record(z.string(), z.string()).optional(),
  allowedEnvVars: z.array(z.string()).optional(),
  /** For `mcp_tool`: the tool as its server names it, and what it is given. */
  call: z
    .object({ server: z.string(), tool: z.string(), input: z.record(z.string(), z.unknown()) })
    .optional(),
  /** For `prompt` and `agent`: who answers it. */
  model: z.string().optional(),
  /** For `prompt`: a "no" goes back to the model and does not end the query. */
  continueOnBlock: z.boolean().optional(),
  /** The text shown while it runs, in place of its command. */
  statusMessage: z.string().optional(),
  /** A permission rule: it only runs for calls that the rule covers. */
  if: z.string().optional(),
  timeoutMs: z.number().optional(),
  /** It runs no second time in one session. */
  once: z.boolean().optional(),
  /** `block`: when it fails, what it guards is blocked. Absent: a failure is told, and blocks only where a callback guards. */
  onFailure: z.enum(['continue', 'block']).optional(),
  /** It runs for more than was meant, because its condition or matcher cannot be read: it may hold up a call, and allows and changes none. */
  widened: z.boolean().optional(),
  /** Nobody waits for it, and it decides nothing. */
  async: z.boolean().optional(),
  /** The same, and exit code 2 wakes the model with what it said. */
  asyncRewake: z.boolean().optional(),
  source: RuleSource,
  /** The plugin that brings it, and its folder. */
  plugin: z.object({ name: z.string(), root: z.string() }).optional(),
  file: z.string(),
  line: z.number(),
  /** The reason it does not run; null when it does. */
  off: z.string().nullable(),
});
export type HookSetting = z.infer<typeof HookSetting>;

/** A hook as a window lists it: what may hold secrets stays behind. */
export const ListedHook = HookSetting.omit({ headers: true, allowedEnvVars: true, call: true });
export type ListedHook = z.infer<typeof ListedHook>;

/** The place of a hook in a list. */
export const HookPick = z.object({
  event: HookEvent,
  file: z.string().max(4096),
  line: z.number().int().min(1),
  run: z.string().max(10_000),
});
export type HookPick = z.infer<typeof HookPick>;

/** The hooks that a project's settings name, for people. */
export const HooksStatus = z.object({
  /** In the order in which their answers count; texts and number are bounded. */
  list: z.array(ListedHook),
  /** The number of further ones. */
  more: z.number(),
  /** The user's own settings say that no hook runs. */
  disabled: z.boolean(),
});
export type HooksStatus = z.infer<typeof HooksStatus>;

/** The outcome of one hook. `blocked` includes a denied permission and a query that it ended. */
export const HookOutcome = z.enum(['done', 'blocked', 'failed', 'cancelled']);
export type HookOutcome = z.infer<typeof HookOutcome>;

/** One run of a hook, for people. Texts are bounded by whoever made it. */
export const HookReport = z.object({
  id: z.string(),
  event: HookEvent,
  /** The subject it ran for: a tool's name, "startup", "auto"; '' where there is nothing to name. */
  subject: z.string(),
  /** The call it ran for. */
  callId: z.string().optional(),
  /** The command, address or prompt as a user knows it. */
  run: z.string(),
  /** The settings file it comes from. */
  file: z.string(),
  outcome: HookOutcome,
  /** Its outcome in a few words; '' when it simply ran. */
  note: z.string(),
  exitCode: z.number().nullable(),
  durationMs: z.number(),
  stdout: z.string(),
  stderr: z.string(),
  /** Words of the user that it kept from the model: nothing is lost. */
  keptPrompt: z.string().optional(),
  /** It failed before in the same message, which people know. */
  knownToFail: z.boolean().optional(),
});
export type HookReport = z.infer<typeof HookReport>;

/** A hook that runs right now. Times are epoch milliseconds. */
export interface RunningHook {
  readonly id: string;
  readonly event: HookEvent;
  readonly subject: string;
  readonly run: string;
  readonly startedAt: number;
  /** The work waits for it. */
  readonly awaited: boolean;
}

/** Returns whether a run is worth a line in the conversation: it said or changed something, or went wrong. */
export const isNotable = (report: HookReport): boolean =>
  // It runs for every few lines, and what it answers is what is on screen.
  report.event === 'MessageDisplay'
    ? report.outcome === 'failed' && report.knownToFail !== true
    : report.outcome !== 'done' ||
      report.note !== '' ||
      report.stdout.trim() !== '' ||
      report.stderr.trim() !== '';
