import { createHash } from 'node:crypto';
import type {
  Approval,
  ApprovalAnswer,
  ApprovalSubject,
  Decision,
} from '../../../shared/permission';
import type { Broker } from '../permissions/broker';
import type { PermissionRequest } from '../permissions/request';
import { hashScripts, type ScriptHashes } from '../permissions/scripts-run';
import type { Ids } from '../ports';
import { needsContext, type ToolEnvironment } from './environment';
import { requestsOf } from './needs';
import type { AnyTool } from './tool';

/** The content of an approval: everything that was looked up for it, and all that it allows. */
export interface ApprovalContent {
  readonly subject: ApprovalSubject;
  readonly requests: readonly PermissionRequest[];
  /** The files that it runs, as they are now. */
  readonly scripts: ScriptHashes;
  /** A hash of tool, input, paths, links, file contents, and scripts. docs/security.md 12. */
  readonly digest: string;
}

/** Looks up everything a call would do, as it stands now. */
export async function contentOf(
  { tool, input }: { readonly tool: AnyTool; readonly input: Record<string, unknown> },
  environment: ToolEnvironment,
): Promise<ApprovalContent> {
  const requests = await requestsOf(tool, input, needsContext(environment));
  const subject = await tool.subject(input, environment);
  const scripts = await scriptsOf(requests, environment);
  const facts = JSON.stringify([tool.name, input, requests, subject, [...scripts]]);
  return {
    requests,
    subject,
    scripts,
    digest: createHash('sha256').update(facts).digest('base64url'),
  };
}

/** Hashes the files that a call runs, as they are now. */
export const scriptsOf = async (
  requests: readonly PermissionRequest[],
  { services, session }: ToolEnvironment,
): Promise<ScriptHashes> => hashScripts(requests, services, (await session.shellEnv())['PATH']);

/** The most links of one line that the dialog lists. */
const MAX_LEADS = 20;

/** Returns the subject as the dialog shows it: the parts that made a command ask are marked, and links are followed. */
export function shownSubject(
  { subject, requests }: ApprovalContent,
  decision: Decision,
): ApprovalSubject {
  if (subject.kind !== 'command') return subject;
  const leads = requests.flatMap((request) => (request.kind === 'shell' ? leadsOf(request) : []));
  return {
    ...subject,
    asks: decision.parts ?? subject.asks,
    ...(leads.length === 0 ? {} : { leads: leads.slice(0, MAX_LEADS) }),
  };
}

const leadsOf = (request: Extract<PermissionRequest, { kind: 'shell' }>) =>
  Object.entries(request.realPaths).flatMap(([path, real]) =>
    real.filter((realPath) => realPath !== path).map((realPath) => ({ path, realPath })),
  );

/** Returns the dialog's heading: the act. */
export function titleOf(subject: ApprovalSubject): string {
  switch (subject.kind) {
    case 'command':
      return subject.background ? 'Run a command in the background' : 'Run a command';
    case 'edit':
      return subject.created ? 'Create a file' : 'Edit a file';
    case 'read':
      return 'Read outside the project';
    case 'connect':
      return subject.commands.length === 1
        ? `Let this command reach ${subject.host}?`
        : `Let one of ${subject.commands.length} commands reach ${subject.host}?`;
    case 'fetch':
      return `Fetch ${hostOf(subject.url)}`;
    case 'question':
      return subject.questions.length === 1 ? 'A question for you' : 'Questions for you';
    case 'plan':
      return 'Go ahead with this plan?';
    case 'form':
    case 'visit':
      return `${subject.server} asks you`;
    case 'tool':
      return `Use ${subject.name}`;
  }
}

/** Returns the host that would really be asked, international names in their encoded form. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'an address');

/** Puts a question of a call before the user and waits; resolves to a denial when the signal aborts. */
export type AskAboutCall = (
  call: { readonly id: string; readonly tool: string },
  subject: ApprovalSubject,
  signal: AbortSignal,
) => Promise<ApprovalAnswer>;

/** Creates the way for tools to ask the user: no answer permits anything, and no rule can give it. */
export const createQuestions =
  (broker: Broker, ids: Ids): AskAboutCall =>
  (call, subject, signal) => {
    const id = ids.next('apr');
    const approval: Approval = {
      id,
      callId: call.id,
      tool: call.tool,
      title: titleOf(subject),
      subject,
      decision: {
        behavior: 'ask',
        reason: 'only you can answer this',
        why: [],
        suggestions: [],
      },
      digest: id,
    };
    return broker.ask({ approval }, signal);
  };
