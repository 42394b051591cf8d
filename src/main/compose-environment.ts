import { resolve } from 'node:path';
import { type LoadSettingsOptions, managedSettingsFile } from './engine/settings/load';
import { ownVariables } from './engine/settings/own-variables';
import { createNodeFiles } from './node/files';
import { homeFolder } from './node/home-folder';

type Asked = Pick<LoadSettingsOptions['commandLine'], 'settings' | 'settingSources'> & {
  /** The folder that a path of `settings` is relative to. Absolute. */
  readonly folder?: string;
};

/** Returns the environment that Lathe works with: what settings say of connection and models goes before it. */
export async function ownEnvironment(
  env: NodeJS.ProcessEnv,
  { folder, ...commandLine }: Asked = {},
): Promise<NodeJS.ProcessEnv> {
  const { home, configDir } = personalFolders(env);
  const own = await ownVariables({
    ...{ files: createNodeFiles(), project: folder ?? home, configDir, commandLine },
    managedFile: managedSettingsFile(process.platform),
  });
  return { ...env, ...own };
}

/** Returns the user's home, and the folder of their own settings. Absolute. */
export function personalFolders(env: NodeJS.ProcessEnv): {
  readonly home: string;
  readonly configDir: string;
} {
  const home = homeFolder(env);
  return { home, configDir: resolve(home, env['CLAUDE_CONFIG_DIR'] || '.claude') };
}
