import type { HookSetting } from '../../../shared/hooks';
import { isListedAddress } from './address-patterns';
import type { SettingsLayer } from './read';

/**
 * Returns the hooks of all layers (strongest first), each with the reason why it is off, if it is.
 * Hooks of a folder that is not trusted never run; only the managed settings can switch managed
 * hooks off; what the user switched off, the shared file of a folder does not switch on again.
 * Pure.
 */
export function hooksOf(
  layers: readonly SettingsLayer[],
  isOpen: (layer: SettingsLayer) => boolean,
  pluginsOnly = false,
): HookSetting[] {
  const offForUser = hooksDisabledByUser(layers);
  const switches = layers.filter(
    (layer) =>
      isOpen(layer) &&
      layer.fields.disableAllHooks !== undefined &&
      !(offForUser && switchesOnAgain(layer)),
  );
  const managedSwitch = switches.find((layer) => layer.source === 'managed');
  const managed = layers.filter(({ source }) => source === 'managed');
  const managedOnly = managed.some(({ fields }) => fields.allowManagedHooksOnly);
  const isManaged = ({ source, ofPlugin }: SettingsLayer) =>
    source === 'managed' ||
    (typeof ofPlugin === 'string' &&
      managed.some(({ fields }) => fields.enabledPlugins?.[ofPlugin] === true));
  const reason = (layer: SettingsLayer): string | null => {
    const decisive = layer.source === 'managed' ? managedSwitch : switches[0];
    if (!isOpen(layer)) return 'this folder is not trusted';
    if (decisive?.fields.disableAllHooks) return `disableAllHooks is set in ${decisive.file}`;
    if (pluginsOnly && layer.source !== 'managed' && layer.ofPlugin === undefined)
      return PLUGINS_ONLY;
    if (managedOnly && !isManaged(layer)) return 'managed settings allow only their own';
    return null;
  };
  const open = layers.filter(isOpen);
  const urls = joined(open.map(({ fields }) => fields.allowedHttpHookUrls));
  const names = joined(open.map(({ fields }) => fields.httpHookAllowedEnvVars));
  return layers.flatMap((layer) => {
    const off = reason(layer);
    return layer.hooks.map((hook) => ({ ...limited(hook, urls, names), ...(off ? { off } : {}) }));
  });
}

const PLUGINS_ONLY = 'managed settings allow only their own and those of plugins';

/** Returns all lists together; null where nobody wrote one, so that nothing is limited. */
function joined(lists: readonly (readonly string[] | undefined)[]): readonly string[] | null {
  const written = lists.filter((list) => list !== undefined);
  return written.length === 0 ? null : written.flat();
}

/** Limits an HTTP hook to the listed addresses and environment variables. */
function limited(
  hook: HookSetting,
  urls: readonly string[] | null,
  names: readonly string[] | null,
): HookSetting {
  if (hook.type !== 'http') return hook;
  const { allowedEnvVars } = hook;
  const kept = names && allowedEnvVars ? allowedEnvVars.filter((n) => names.includes(n)) : null;
  const off =
    urls === null || isListedAddress(hook.run, urls)
      ? null
      : 'allowedHttpHookUrls does not have it';
  return { ...hook, off, ...(kept ? { allowedEnvVars: kept } : {}) };
}

/** Tells whether the user's own settings say that no hook runs. */
export const hooksDisabledByUser = (layers: readonly SettingsLayer[]): boolean =>
  layers.some(({ source, fields }) => source === 'userSettings' && fields.disableAllHooks === true);

/**
 * Tells whether a shared project file switches hooks on again, which it may not do against the
 * user.
 */
const switchesOnAgain = ({ source, fields }: SettingsLayer): boolean =>
  source === 'projectSettings' && fields.disableAllHooks === false;
