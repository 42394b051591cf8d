import { createHash } from 'node:crypto';
import type { ApprovalSubject, Decision } from '../../../shared/permission';
import type { PermissionRequest } from '../permissions/request';
import type { AnyTool, ToolEnvironment } from './tool';

/** What an approval is about: all of it was looked at, and only this is allowed by it. */
export interface ApprovalContent {
  readonly subject: ApprovalSubject;
  readonly requests: readonly PermissionRequest[];
  /** The same for the same tool, input, paths, links, and file contents. THREATS 12. */
  readonly digest: string;
}

/** Looks at everything a call would do, as it stands now. */
export async function contentOf(
  { tool, input }: { readonly tool: AnyTool; readonly input: Record<string, unknown> },
  environment: ToolEnvironment,
): Promise<ApprovalContent> {
  const requests = await tool.needs(input, environment);
  const subject = await tool.subject(input, environment);
  const facts = JSON.stringify([tool.name, input, requests, subject]);
  return { requests, subject, digest: createHash('sha256').update(facts).digest('base64url') };
}

/** Links of one line that the dialog lists. */
const MAX_LEADS = 20;

/** The subject as the dialog shows it: what made a command ask is marked, and links are followed. */
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

/** What the dialog's heading says: the act. */
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
    case 'tool':
      return `Use ${subject.name}`;
  }
}

/** The host that would really be asked, international names in their encoded form. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'an address');
