import type { Connection } from '../shared/settings';
import { resolveConnection } from './app/connection';
import type { HeadlessOptions } from './app/headless-session';
import { type ComposeOptions, lookingServices } from './compose';
import { ownEnvironment } from './compose-environment';
import { settingsAsTrusted } from './compose-services';

/** Returns the connection that a run with these options would have. A helper that prints the key is not started. */
export async function connectionOf(
  asked: HeadlessOptions,
  given: ComposeOptions,
): Promise<Connection> {
  const env = await ownEnvironment(given.env, asked);
  const services = lookingServices({ ...given, env });
  const real = await services.files.realPath(asked.folder);
  const folder = real.ok ? real.value : asked.folder;
  const { settings } = await settingsAsTrusted(services, folder, asked);
  const stored = await given.keyStore.get();
  return resolveConnection(env, stored, null, false, settings.apiKeyHelper).connection;
}
