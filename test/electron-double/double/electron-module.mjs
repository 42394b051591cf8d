/** What `import … from 'electron'` gives while a double is in place. */
const electron = globalThis[Symbol.for('lathe.electron-double')];
export const {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerSaveBlocker,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  systemPreferences,
  Tray,
} = electron;
