import type { Connection } from '../shared/settings';
import { resolveConnection, sourcesOf } from './app/connection';
import type { HeadlessOptions } from './app/headless-session';
import { type ComposeOptions, lookingServices } from './compose';
import { ownEnvironment } from './compose-environment';
import { settingsAsTrusted } from './compose-services';

/** A connection, and every source of a key there is beside what was entered, in the order they count. */
interface FoundConnection {
  readonly connection: Connection;
  readonly sources: readonly string[];
}

/** Returns the connection that a run with these options would have. A helper that prints the key is not started. */
export async function connectionOf(
  asked: HeadlessOptions,
  given: ComposeOptions,
): Promise<FoundConnection> {
  const env = await ownEnvironment(given.env, asked);
  const services = lookingServices({ ...given, env });
  const real = await services.files.realPath(asked.folder);
  const folder = real.ok ? real.value : asked.folder;
  const { settings } = await settingsAsTrusted(services, folder, asked);
  const stored = await given.keyStore.get();
  const { apiKeyHelper: helper } = settings;
  const { connection } = resolveConnection(env, stored, null, false, helper);
  return { connection, sources: sourcesOf(env, helper) };
}
