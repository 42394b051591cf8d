/** The machine, as far as opening a window depends on it. */
export interface Desktop {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** Browsers refuse their own sandbox to the superuser. */
  readonly superuser: boolean;
}

/** The desktop this process runs on. */
export const thisDesktop = (): Desktop => ({
  platform: process.platform,
  env: process.env,
  superuser: process.geteuid?.() === 0,
});

/** Whether a window could be seen by anyone. */
export const hasScreen = ({ platform, env }: Pick<Desktop, 'platform' | 'env'>): boolean =>
  platform === 'darwin' || platform === 'win32'
    ? env['SSH_CONNECTION'] === undefined
    : Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
