import { join } from 'node:path';
import { err, fault } from '../shared/result';
import { lookingServices, settingsAsTrusted } from './compose';
import type { ServiceOptions } from './compose-services';
import { checkServers } from './engine/mcp/check-servers';
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
  return {
    placeOf,
    change,
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
      const deps = { ...services, project, env: () => services.shellEnv(settings.env) };
      return wanted.length === 0 ? [] : checkServers(deps, wanted, ending);
    },
  };
}
