import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type AgentEvent, MAIN_AGENT } from '../../../shared/agent-event';
import type { Approval, PermissionRule } from '../../../shared/permission';
import type { Question, QuestionAnswer } from '../../../shared/question';
import {
  type Asked,
  type Broker,
  type BrokerAnswer,
  createPuttingBroker,
} from '../../engine/permissions/broker';
import { asUpdate, PermissionUpdate } from '../../engine/settings/permission-update';
import type { Json } from './api-shape';
import type { ProgramLink } from './program-link';

/** The acts that answers of a program can ask for besides the decision. */
export interface AnswerEffects {
  /** Carries out changes of permissions. */
  update(updates: readonly PermissionUpdate[]): Promise<void>;
  /** Ends the running query. */
  interrupt(): void;
}

/**
 * Creates a broker that puts every question to the program that drives Lathe (`can_use_tool`). Whatever is no clear
 * permission is a denial.
 */
export const createProgramBroker =
  (link: Pick<ProgramLink, 'ask'>, effects: () => AnswerEffects | null) =>
  (emit: (event: AgentEvent, agentId?: string) => void): Broker =>
    createPuttingBroker(emit, async (asked, agentId, answer, signal) => {
      const deny = (message: string) => answer({ behavior: 'deny', message });
      const request = questionOf(asked, agentId);
      const reply = await link.ask(request, signal);
      if (signal.aborted) return;
      if (!reply.ok) return deny(`Nobody answered: ${reply.error}.`);
      const read = Reply.safeParse(reply.value);
      if (!read.success) return deny('The program gave no usable answer.');
      const { data } = read;
      if (data.behavior === 'deny') {
        await deny(data.message ?? '');
        if (data.interrupt === true) effects()?.interrupt();
        return;
      }
      const { updatedInput, updatedPermissions = [] } = data;
      const updates = z.array(PermissionUpdate).safeParse(updatedPermissions);
      if (!updates.success) return deny('The program gave permissions that cannot be read.');
      const permission = answerOf(asked, request, updatedInput ?? undefined, updates.data);
      if (typeof permission === 'string') return deny(permission);
      await effects()?.update(updates.data);
      await answer(permission);
    });

const Reply = z.discriminatedUnion('behavior', [
  z.looseObject({
    behavior: z.literal('allow'),
    updatedInput: z.record(z.string(), z.unknown()).nullish(),
    updatedPermissions: z.array(z.unknown()).optional(),
  }),
  z.looseObject({
    behavior: z.literal('deny'),
    message: z.string().optional(),
    interrupt: z.boolean().optional(),
  }),
]);

/** Returns a question in the words of the protocol. */
function questionOf({ approval, input, server }: Asked, agentId: string | undefined): Json {
  const { subject, decision, callId, title } = approval;
  const { tool, input: shown } = actOf(approval, input);
  const suggestions = subject.kind === 'edit' ? [ACCEPT_EDITS] : decision.suggestions.map(asUpdate);
  return {
    subtype: 'can_use_tool',
    tool_name: tool,
    display_name: tool,
    title,
    input: shown,
    description: aboutOf(approval),
    permission_suggestions: suggestions,
    decision_reason: decision.reason,
    decision_reason_type: decision.rule === undefined ? 'other' : 'rule',
    ...(server === undefined ? {} : { mcp_server: server }),
    ...(decision.rule?.behavior === 'ask' ? { matched_ask_rule: askRule(decision.rule) } : {}),
    ...(subject.kind === 'question' || subject.kind === 'plan'
      ? { requires_user_interaction: true }
      : {}),
    ...(subject.kind === 'edit' || subject.kind === 'read' ? { blocked_path: subject.path } : {}),
    tool_use_id: callId,
    ...(agentId === undefined || agentId === MAIN_AGENT ? {} : { agent_id: agentId }),
  };
}

/** Returns a rule in the words of the protocol. */
function askRule({ source, text }: PermissionRule): Json {
  const [, name = text, content] = /^([^(]*)(?:\((.*)\))?$/s.exec(text) ?? [];
  return { source, tool_name: name, ...(content === undefined ? {} : { rule_content: content }) };
}

const ACCEPT_EDITS = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };

/** Returns the tool and the input that a question is about. */
function actOf(
  { tool, subject }: Approval,
  input: Asked['input'],
): { readonly tool: string; readonly input: Json } {
  switch (subject.kind) {
    case 'question':
      return { tool, input: { questions: subject.questions } };
    case 'plan':
      return { tool, input: { plan: subject.plan } };
    case 'connect':
      return { tool: 'SandboxNetworkAccess', input: { host: subject.host, port: subject.port } };
    default:
      return { tool, input: input ?? {} };
  }
}

function aboutOf({ subject, title }: Approval): string {
  switch (subject.kind) {
    case 'command':
      return subject.description ?? subject.command;
    case 'edit':
    case 'read':
      return subject.path;
    case 'fetch':
      return subject.url;
    default:
      return title;
  }
}

/** Returns the permission as the broker takes it; a text says why it is none. */
function answerOf(
  { approval: { subject, digest } }: Asked,
  { input: shown }: Json,
  updatedInput: Json | undefined,
  updates: readonly PermissionUpdate[],
): BrokerAnswer | string {
  if (subject.kind === 'question') {
    const answers = answersTo(subject.questions, updatedInput?.['answers']);
    return answers === null
      ? 'The program gave no answers.'
      : { behavior: 'answers', answers: [...answers] };
  }
  if (subject.kind === 'plan') {
    const plan = updatedInput?.['plan'];
    const words = typeof plan === 'string' && plan.trim() !== '' ? plan : subject.plan;
    const accepts = updates.some(
      (update) => update.type === 'setMode' && update.mode === 'acceptEdits',
    );
    return { behavior: 'approvePlan', plan: words, mode: accepts ? 'acceptEdits' : 'default' };
  }
  if (subject.kind === 'connect' || updatedInput === undefined)
    return { behavior: 'allow', digest };
  // Most programs send back what they were shown.
  if (isDeepStrictEqual(updatedInput, shown)) return { behavior: 'allow', digest };
  return { behavior: 'allow', digest, input: updatedInput };
}

/** Reads answers by the question's text; labels that are no option are words of the user's own. Null: there are none. */
function answersTo(
  questions: readonly Question[],
  given: unknown,
): readonly QuestionAnswer[] | null {
  const parsed = z.record(z.string(), z.union([z.string(), z.array(z.string())])).safeParse(given);
  if (!parsed.success) return null;
  return questions.map(({ question, options, multiSelect }) => {
    const said = [parsed.data[question] ?? []].flat();
    const labels = options.map(({ label }) => label);
    // Several choices come as one text with commas too.
    const words =
      multiSelect && said.length === 1 && !labels.includes(said[0] ?? '')
        ? (said[0] ?? '').split(',').map((word) => word.trim())
        : said;
    const chosen = labels.filter((label) => words.includes(label));
    const other = words.filter((word) => word !== '' && !labels.includes(word)).join('; ');
    return { chosen, ...(other === '' ? {} : { other }) };
  });
}
