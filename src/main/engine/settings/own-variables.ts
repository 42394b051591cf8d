import path from 'node:path';
import { givenSettings, type LoadSettingsOptions, readLayer, readManaged } from './load';
import { OWN_VARIABLE } from './schema';

/**
 * Returns the variables about connection and models in `env` of settings: the machine's before the command line's, and these
 * before the user's. A folder's own never count: they could send a key elsewhere. Never fails.
 */
export async function ownVariables({
  files,
  project,
  configDir,
  managedFile,
  commandLine: { settings, settingSources },
}: Pick<LoadSettingsOptions, 'files' | 'project' | 'configDir' | 'managedFile'> & {
  readonly commandLine: Pick<LoadSettingsOptions['commandLine'], 'settings' | 'settingSources'>;
}): Promise<Readonly<Record<string, string>>> {
  const readsUser = settingSources === undefined || settingSources.includes('user');
  const [managed, given, user] = await Promise.all([
    managedFile === null ? [] : readManaged(files, managedFile),
    givenSettings(files, project, '--settings', settings),
    readsUser ? readLayer(files, 'userSettings', path.join(configDir, 'settings.json')) : null,
  ]);
  const layers = [...(user === null ? [] : [user]), given, ...managed.toReversed()];
  const named = layers.flatMap(({ env }) => Object.entries(env));
  return Object.fromEntries(named.filter(([name]) => OWN_VARIABLE.test(name)));
}
