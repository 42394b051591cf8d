import { join } from 'node:path';
import { err, fault, ok, type Result } from '../shared/result';
import { lookingServices } from './compose';
import { type ServiceOptions, settingsAsTrusted } from './compose-services';
import { checkServers } from './engine/mcp/check-servers';
import { canSignIn, remoteServer } from './engine/mcp/remote-server';
import { signIn, signOut } from './engine/mcp/sign-in';
import { readMcpFile } from './engine/settings/load';
import { type ServerScope, serverPlace } from './engine/settings/mcp-file';
import type { McpServerSetting } from './engine/settings/mcp-servers';
import { readStateServers } from './engine/settings/state-servers';
import { createSettingsWriter, type SettingsWriter } from './engine/settings/write';

/** Creates the parts of `lathe mcp` in a folder. The signal ends a wait for another process that changes the same file. */
export async function createMcpParts(
  { folder, trust }: { readonly folder: string; readonly trust: boolean },
  options: ServiceOptions,
  signal: AbortSignal,
) {
  const services = lookingServices(options);
  const { files, configDir, home, locks } = services;
  const real = await files.realPath(folder);
  const project = real.ok ? real.value : folder;
  const placeOf = (scope: ServerScope) => serverPlace(scope, { project, configDir, home });
  const writer = createSettingsWriter(files);
  const change: SettingsWriter['change'] = async (...given) => {
    const lock = await locks.acquire(join(options.latheHome, 'run', 'mcp-file.lock'), signal);
    if (!lock.ok) return err(fault('stopped', 'Stopped; nothing was changed.'));
    try {
      return await writer.change(...given);
    } finally {
      await lock.value();
    }
  };
  /** Returns a server that a user can sign in to, with everything filled in. */
  const toSignInTo = async (setting: McpServerSetting) => {
    const { settings } = await settingsAsTrusted(services, project, { trust });
    const deps = {
      ...services,
      project,
      env: () => services.shellEnv(settings.env),
      policy: () => settings.serverPolicy,
    };
    if (setting.remote === undefined) return err(cannotSignIn(setting.name));
    const server = await remoteServer(setting, deps, signal);
    if (!server.ok) return err(fault('bad_server', server.error));
    return canSignIn(server.value) ? server : err(cannotSignIn(setting.name));
  };
  return {
    placeOf,
    change,
    signIn: async (
      setting: McpServerSetting,
      show: (address: string) => void,
    ): Promise<Result<null>> => {
      const server = await toSignInTo(setting);
      if (!server.ok) return server;
      const done = await signIn(server.value, services, show, signal);
      return done.ok ? done : err(fault('sign_in', done.error));
    },
    signOut: async (setting: McpServerSetting): Promise<Result<string>> => {
      const server = await toSignInTo(setting);
      if (!server.ok) return server;
      const done = await signOut(server.value.url, services);
      return done.ok ? ok(done.value ?? 'Nobody was signed in.') : done;
    },
    read: async (scope: ServerScope) => {
      const place = placeOf(scope);
      const { fields, problems } =
        scope === 'project'
          ? await readMcpFile(files, place.file)
          : (await readStateServers(files, place.file, project))[scope];
      return { place, servers: fields.mcpServers ?? {}, problems };
    },
    effective: async () => {
      const { settings, trusted } = await settingsAsTrusted(services, project, { trust });
      return { trusted, mcpServers: settings.mcpServers ?? [], problems: settings.problems };
    },
    check: async (wanted: readonly McpServerSetting[], ending: AbortSignal) => {
      const { settings } = await settingsAsTrusted(services, project, { trust });
      const deps = {
        ...services,
        project,
        env: () => services.shellEnv(settings.env),
        policy: () => settings.serverPolicy,
      };
      return wanted.length === 0 ? [] : checkServers(deps, wanted, ending);
    },
  };
}

const cannotSignIn = (name: string) =>
  fault(
    'no_sign_in',
    `Nobody can sign in to "${name}": only to servers reached by http or sse, without an "Authorization" header of yours.`,
  );
