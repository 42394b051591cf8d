import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Broker } from '../../../src/main/engine/permissions/broker';
import { decide } from '../../../src/main/engine/permissions/decide';
import type { Files } from '../../../src/main/engine/ports';
import { createPermissionGate } from '../../../src/main/engine/tools/middleware/permission-gate';
import type { AnyTool } from '../../../src/main/engine/tools/tool';
import { createNodeFiles } from '../../../src/main/node/files';
import type { PermissionMode } from '../../../src/shared/permission';
import { tempFolder } from '../../node/temp-folder';
import { countingIds } from '../../support/memory-clock';
import { toolEnvironment } from '../../support/tool-environment';
import { runTool } from './builtin/run-tool';

/** What lies outside. */
export const SECRET = 'nobody inside may see this';

/** A project with a folder beside it that is none of its business, and calls that are decided and run there. */
export async function twoFolders(files: Files = createNodeFiles()) {
  const home = await tempFolder();
  const project = join(home, 'proj');
  const outside = join(home, 'outside');
  await mkdir(join(project, 'd'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'race.txt'), SECRET);
  const env = toolEnvironment({ project, files });
  const call = async (
    tool: AnyTool,
    input: Record<string, unknown>,
    mode: PermissionMode,
    between: () => Promise<void> = async () => undefined,
  ) => {
    let asked = 0;
    const user: Broker = {
      ask: async ({ approval: { digest } }) => {
        asked += 1;
        if (asked > 1) return { behavior: 'deny', message: 'that is not what I saw' };
        await between();
        return { behavior: 'allow', digest };
      },
      answer: async () => ({ ok: true, value: null }),
      recheck: async () => undefined,
      denyAll: () => undefined,
      forAgent: () => user,
    };
    const asks = mode === 'default';
    const gate = createPermissionGate({
      environment: env,
      decide,
      rules: () => [],
      refreshRules: async () => {},
      mode: () => mode,
      context: () => ({
        cwd: project,
        home,
        project,
        workingDirectories: [project],
        caseInsensitive: false,
      }),
      broker: asks ? user : null,
      ids: countingIds(),
      judge: { judge: async () => ({ kind: 'user', reason: 'nobody judges here' }) },
      remember: async () => ({ ok: true, value: null }),
      onDenied: () => undefined,
      onProblem: () => undefined,
    });
    const verdict = await gate.check(
      { id: 'toolu_1', tool, input },
      async () => undefined,
      new AbortController().signal,
    );
    if (verdict.kind === 'refused') return { ok: false, text: verdict.message };
    if (!asks) await between();
    return runTool(tool, input, env, { decided: verdict.decided });
  };
  return { home, project, outside, env, call };
}
