import { z } from 'zod';
import { FormField, FormValues, MAX_FORM_FIELDS } from './form';
import { Question, QuestionAnswer } from './question';
import { DiffHunk } from './tool-call';

/** Treatment of what no rule decides (docs/permissions.md). */
export const PermissionMode = z.enum([
  'default',
  'acceptEdits',
  'plan',
  'auto',
  'dontAsk',
  'bypassPermissions',
]);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** The place in which a rule was written, strongest first. */
export const RuleSource = z.enum([
  'managed',
  'commandLine',
  'session',
  'localSettings',
  'projectSettings',
  'userSettings',
]);
export type RuleSource = z.infer<typeof RuleSource>;

export const RuleBehavior = z.enum(['allow', 'deny', 'ask']);
export type RuleBehavior = z.infer<typeof RuleBehavior>;

/** One permission rule as written, and where. `file` and `line` are absent for rules without a file. */
export const PermissionRule = z.object({
  behavior: RuleBehavior,
  text: z.string(),
  source: RuleSource,
  file: z.string().optional(),
  line: z.number().optional(),
});
export type PermissionRule = z.infer<typeof PermissionRule>;

/** A rule Lathe offers to save, and where it would go. */
export const RuleSuggestion = z.object({
  rule: z.string(),
  destination: z.enum(['session', 'localSettings', 'projectSettings', 'userSettings']),
});
export type RuleSuggestion = z.infer<typeof RuleSuggestion>;

/** The answer to "may this call run?". `why` is the chain of reasons, most decisive first. */
export const Decision = z.object({
  behavior: RuleBehavior,
  reason: z.string(),
  rule: PermissionRule.optional(),
  why: z.array(z.string()),
  suggestions: z.array(RuleSuggestion),
  /** The automatic mode may have a small model decide this in the place of the user. */
  judgeable: z.boolean().optional(),
  /** For a shell line: the parts [start, end) that made it ask or be denied, UTF-16 units. */
  parts: z.array(z.object({ start: z.number(), end: z.number() })).optional(),
});
export type Decision = z.infer<typeof Decision>;

/** The act that the dialog shows, in full. */
export const ApprovalSubject = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('command'),
    command: z.string(),
    cwd: z.string(),
    description: z.string().optional(),
    background: z.boolean(),
    /** The half-open range [start, end) of `command` (UTF-16 units) that made it ask. */
    asks: z.array(z.object({ start: z.number(), end: z.number() })),
    /** Paths named in it that really lead elsewhere. */
    leads: z.array(z.object({ path: z.string(), realPath: z.string() })).optional(),
  }),
  z.object({
    kind: z.literal('edit'),
    path: z.string(),
    realPath: z.string(),
    created: z.boolean(),
    hunks: z.array(DiffHunk),
  }),
  z.object({
    kind: z.literal('read'),
    path: z.string(),
    realPath: z.string(),
  }),
  /** A command in the sandbox wants to reach a host that nothing allows. */
  z.object({
    kind: z.literal('connect'),
    host: z.string(),
    port: z.number().nullable(),
    /** All that run inside now, newest first: the network does not say which of them asks. */
    commands: z.array(z.string()),
  }),
  z.object({ kind: z.literal('fetch'), url: z.string(), prompt: z.string().optional() }),
  z.object({ kind: z.literal('question'), questions: z.array(Question) }),
  z.object({ kind: z.literal('plan'), plan: z.string() }),
  /** A tool server asks the user to fill in a form. */
  z.object({
    kind: z.literal('form'),
    server: z.string(),
    message: z.string(),
    fields: z.array(FormField).max(MAX_FORM_FIELDS),
  }),
  /** A tool server asks the user to open an address. */
  z.object({
    kind: z.literal('visit'),
    server: z.string(),
    message: z.string(),
    url: z.string(),
  }),
  z.object({ kind: z.literal('tool'), name: z.string(), input: z.string() }),
]);
export type ApprovalSubject = z.infer<typeof ApprovalSubject>;

/** A pending question to the user. */
export const Approval = z.object({
  id: z.string(),
  callId: z.string(),
  /** The same for all calls of one response of the model. Absent: it belongs with no other question. */
  response: z.string().optional(),
  tool: z.string(),
  title: z.string(),
  subject: ApprovalSubject,
  decision: Decision,
  /** Stands for everything the question is about: tool, input, paths, file contents. An approval names it. */
  digest: z.string(),
  /** The risks, a few words each, worst first. */
  risks: z.array(z.string()).optional(),
  /** It was asked before, and what it is about has changed since. */
  changed: z.boolean().optional(),
  /** The user may change the command before allowing it. */
  editable: z.boolean().optional(),
  /** The name of the sub-agent that asks; absent for the main agent. */
  agent: z.string().optional(),
});
export type Approval = z.infer<typeof Approval>;

/** The longest text a user can put in place of what was asked, characters. */
const MAX_TEXT = 200_000;

/** The answer of the user. Closing the window answers `deny`. */
export const ApprovalAnswer = z.discriminatedUnion('behavior', [
  z.object({
    behavior: z.literal('allow'),
    /** Of the approval that was shown: nothing else is allowed by this answer. */
    digest: z.string().max(200),
    remember: RuleSuggestion.optional(),
    /** Runs this in place of the command that was asked. */
    edited: z.string().min(1).max(MAX_TEXT).optional(),
  }),
  z.object({ behavior: z.literal('deny'), message: z.string().max(MAX_TEXT).optional() }),
  /** To a question, one for each. */
  z.object({ behavior: z.literal('answers'), answers: z.array(QuestionAnswer).max(4) }),
  /** To a form. */
  z.object({ behavior: z.literal('form'), values: FormValues }),
  /** To a plan: approved as it stands here, and how to go on. */
  z.object({
    behavior: z.literal('approvePlan'),
    plan: z.string().min(1).max(MAX_TEXT),
    mode: z.enum(['acceptEdits', 'default']),
  }),
]);
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

/** One refused call, as reported with a query's result. */
export const PermissionDenial = z.object({
  tool: z.string(),
  toolUseId: z.string(),
  input: z.record(z.string(), z.unknown()),
});
export type PermissionDenial = z.infer<typeof PermissionDenial>;
