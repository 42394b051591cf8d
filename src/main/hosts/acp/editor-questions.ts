import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallContent,
} from '@agentclientprotocol/sdk';
import type { AgentEvent } from '../../../shared/agent-event';
import type { Approval } from '../../../shared/permission';
import type { QuestionAnswer } from '../../../shared/question';
import {
  type Asked,
  type Broker,
  type BrokerAnswer,
  createPuttingBroker,
} from '../../engine/permissions/broker';
import { asUpdate, type PermissionUpdate } from '../../engine/settings/permission-update';
import { diffOf, kindOf } from './updates';

/** Puts a question to the editor; the signal takes it back. */
export type AskEditor = (
  question: Omit<RequestPermissionRequest, 'sessionId'>,
  signal: AbortSignal,
) => Promise<RequestPermissionResponse>;

/** Carries out changes of permissions in the session. */
type Update = (updates: readonly PermissionUpdate[]) => Promise<void>;

/** Creates a broker that puts every question to the editor. Whatever is no clear permission is a denial. */
export const createEditorBroker =
  (ask: AskEditor, update: Update) =>
  (emit: (event: AgentEvent, agentId?: string) => void): Broker =>
    createPuttingBroker(emit, async (asked, _agentId, reply, signal) => {
      // No editor has a form.
      if (asked.approval.subject.kind === 'form') return reply({ behavior: 'deny' });
      const answer =
        asked.approval.subject.kind === 'question'
          ? await answersOf(asked, ask, signal)
          : await answerOf(asked, ask, update, signal);
      await reply(answer);
    });

/** Asks for one act. */
async function answerOf(
  asked: Asked,
  ask: AskEditor,
  update: Update,
  signal: AbortSignal,
): Promise<BrokerAnswer> {
  const { approval } = asked;
  const { subject, digest } = approval;
  const options = optionsFor(approval);
  const chosen = await choose(asked, options, ask, signal);
  if (chosen === 'always') {
    // For this session: what lies in files is changed in Lathe's own settings.
    await update(
      approval.decision.suggestions
        .slice(0, 1)
        .map((suggestion) => asUpdate({ ...suggestion, destination: 'session' })),
    );
  }
  if (chosen === null || chosen === 'deny') return { behavior: 'deny' };
  if (subject.kind === 'plan')
    return {
      behavior: 'approvePlan',
      plan: subject.plan,
      mode: chosen === 'edits' ? 'acceptEdits' : 'default',
    };
  return { behavior: 'allow', digest };
}

/** Asks the questions of the model one after the other: an editor offers options of one at a time. */
async function answersOf(asked: Asked, ask: AskEditor, signal: AbortSignal): Promise<BrokerAnswer> {
  const { subject } = asked.approval;
  const answers: QuestionAnswer[] = [];
  for (const { question, options } of subject.kind === 'question' ? subject.questions : []) {
    const offered = options.map(
      ({ label }, at): PermissionOption => ({
        optionId: `option-${at}`,
        name: label,
        kind: 'allow_once',
      }),
    );
    const chosen = await choose(asked, [...offered, DENY], ask, signal, question);
    const label = options[offered.findIndex(({ optionId }) => optionId === chosen)]?.label;
    if (label === undefined) return { behavior: 'deny' };
    answers.push({ chosen: [label] });
  }
  return { behavior: 'answers', answers };
}

/** Returns the id of the option that was chosen; null for none. */
async function choose(
  { approval, input }: Asked,
  options: PermissionOption[],
  ask: AskEditor,
  signal: AbortSignal,
  title = approval.agent === undefined ? approval.title : `${approval.agent}: ${approval.title}`,
): Promise<string | null> {
  const content = contentOf(approval);
  const { outcome } = await ask(
    {
      toolCall: {
        toolCallId: approval.callId,
        title,
        kind: kindOf(approval.tool),
        status: 'pending',
        ...(input === undefined ? {} : { rawInput: input }),
        ...(content.length === 0 ? {} : { content }),
      },
      options,
    },
    signal,
  );
  // An answer that comes too late changes nothing.
  if (outcome.outcome !== 'selected' || signal.aborted) return null;
  return options.some(({ optionId }) => optionId === outcome.optionId) ? outcome.optionId : null;
}

const DENY: PermissionOption = { optionId: 'deny', name: 'Deny', kind: 'reject_once' };

function optionsFor({ subject, decision }: Approval): PermissionOption[] {
  if (subject.kind === 'plan')
    return [
      { optionId: 'allow', name: 'Approve the plan', kind: 'allow_once' },
      { optionId: 'edits', name: 'Approve it and accept edits', kind: 'allow_always' },
      { ...DENY, name: 'Keep planning' },
    ];
  const [suggestion] = decision.suggestions;
  return [
    { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
    ...(suggestion === undefined
      ? []
      : [
          {
            optionId: 'always',
            name: `Allow ${suggestion.rule} in this session`,
            kind: 'allow_always' as const,
          },
        ]),
    DENY,
  ];
}

/** Returns all of the act that is asked about: nothing is allowed that was not shown. */
function contentOf({ subject, decision, risks = [] }: Approval): ToolCallContent[] {
  const text = (words: string): ToolCallContent => ({
    type: 'content',
    content: { type: 'text', text: words },
  });
  const why = [decision.reason, ...risks].filter((reason) => reason !== '').join('\n\n');
  switch (subject.kind) {
    case 'command':
      return [
        text(`\`\`\`sh\n${subject.command}\n\`\`\``),
        text(
          [
            `In ${subject.cwd}`,
            ...(subject.leads ?? []).map(({ path, realPath }) => `${path} leads to ${realPath}`),
            why,
          ].join('\n\n'),
        ),
      ];
    case 'edit':
      return [...diffOf(subject.realPath, subject.created, subject.hunks), text(why)];
    case 'read':
      return [text(`${subject.realPath}\n\n${why}`)];
    case 'fetch':
      return [text(`${subject.url}\n\n${why}`)];
    case 'connect':
      return [text(`${subject.host}${subject.port === null ? '' : `:${subject.port}`}`)];
    case 'plan':
      return [text(subject.plan)];
    case 'tool':
      return [text(`${subject.input}\n\n${why}`)];
    case 'visit':
      return [text(`${subject.message}\n\n${subject.url}`)];
    case 'form':
    case 'question':
      return [];
  }
}
