import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  Attachment,
  CollectContext,
  CollectedFact,
  Collector,
  QueryProgress,
} from '../../../src/main/engine/attachments/attachment';
import { decide } from '../../../src/main/engine/permissions/decide';
import { isReadRestricted } from '../../../src/main/engine/permissions/decide-file';
import type { PermissionRequest } from '../../../src/main/engine/permissions/request';
import { createRuleSet } from '../../../src/main/engine/permissions/rule-set';
import { readRules } from '../../../src/main/engine/permissions/rules';
import type { AttachmentMessage, Message } from '../../../src/shared/message';
import type { PermissionRule } from '../../../src/shared/permission';
import { toolEnvironment } from '../../support/tool-environment';

const MODEL = 'claude-opus-5-5';
export const signal = new AbortController().signal;

export const prompt = (text: string, id = `u ${text}`): Message => ({
  role: 'user',
  id,
  content: [{ type: 'text', text }],
});
export const answer = (id: string, tool?: string): Message => ({
  role: 'assistant',
  id,
  model: MODEL,
  content:
    tool === undefined
      ? [{ type: 'text', text: id }]
      : [{ type: 'tool_use', id: `call ${id}`, name: tool, input: {} }],
});
export const answers = (count: number): Message[] =>
  Array.from({ length: count }, (_, i) => answer(`a${i}`));
export const attached = (attachment: Attachment): AttachmentMessage => ({
  role: 'attachment',
  id: `x ${attachment.kind} ${attachment.about}`,
  ...attachment,
});

export const contextOf = (
  history: readonly Message[],
  rest: Partial<Omit<CollectContext, 'query'>> & { readonly query?: Partial<QueryProgress> } = {},
): CollectContext => ({
  mode: 'default',
  windowTokens: 200_000,
  ...rest,
  history,
  query: {
    queryId: 'qry_1',
    promptId: null,
    turns: 0,
    spentUsd: 0,
    maxTurns: null,
    maxBudgetUsd: null,
    ...rest.query,
  },
});

/** Collects once and accepts what was found, as the collection does. */
export async function take(
  collector: Collector,
  context: CollectContext,
): Promise<readonly Attachment[]> {
  const facts: readonly CollectedFact[] = await collector.collect(context, signal);
  for (const fact of facts) fact.accept?.();
  return facts.map((f) => f.attachment).filter((attachment) => attachment !== null);
}

export const rule = (behavior: PermissionRule['behavior'], text: string): PermissionRule => ({
  behavior,
  text,
  source: 'userSettings',
});

/** A project on the real disk with the real permission decision. */
export async function temporaryProject(rules: readonly PermissionRule[] = []) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'lathe-attachments-')));
  const project = join(root, 'project');
  const context = {
    cwd: project,
    home: join(root, 'user'),
    project,
    workingDirectories: [project],
    caseInsensitive: false,
  };
  const environment = toolEnvironment({
    project,
    hiddenFiles: () => {
      const parsed = createRuleSet(readRules(rules));
      return (realPath) => isReadRestricted({ path: realPath, realPath }, parsed, context);
    },
  });
  await environment.services.files.makeDirectory(project);
  return {
    root,
    project,
    environment,
    decide: (request: PermissionRequest) => decide(request, rules, 'default', context),
    close: () => rm(root, { recursive: true, force: true }),
  };
}
export type TemporaryProject = Awaited<ReturnType<typeof temporaryProject>>;
