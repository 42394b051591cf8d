import { join } from 'node:path';
import { createProjectRegistry, type ProjectRegistry } from '../../src/main/app/project-registry';
import { resolveModel } from '../../src/main/engine/model/catalog';
import { createTrustStore } from '../../src/main/engine/permissions/trust';
import { definitionProblems } from '../../src/main/engine/session/definitions';
import { loadSettings } from '../../src/main/engine/settings/load';
import { newModel } from '../../src/main/engine/settings/new-model';
import { createNodeFiles } from '../../src/main/node/files';
import { memoryClock } from './memory-clock';
import { noSandbox } from './no-sandbox';

/**
 * The real book of projects in a folder that stands for the home: settings of the user in `config`, of the machine in
 * `managed.json`, trust in `trust.json`. `allowedTools` as on the command line.
 */
export function projectBookIn(root: string, allowedTools: readonly string[] = []): ProjectRegistry {
  const files = createNodeFiles();
  return createProjectRegistry({
    files,
    home: root,
    sandbox: noSandbox,
    definitionProblems: (project, trusted) =>
      definitionProblems(
        {
          files,
          configDir: join(root, 'config'),
          managedMemory: null,
          resolveModel: (name) => resolveModel(name, {}),
          defaultModel: (settings) => newModel(settings, {}, (name) => resolveModel(name, {})),
        },
        project,
        trusted,
      ),
    trust: createTrustStore({ files, file: join(root, 'trust.json'), clock: memoryClock() }),
    loadSettings: (project, trusted) =>
      loadSettings({
        files,
        project,
        home: root,
        configDir: join(root, 'config'),
        managedFile: join(root, 'managed.json'),
        trusted,
        commandLine: { allowedTools: [...allowedTools], disallowedTools: [], addDirectories: [] },
      }),
  });
}
