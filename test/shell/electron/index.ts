// The exports of `electron` under the stand-in.
export { app } from './app.ts'
export { ipcMain } from './ipc-main.ts'
export { Menu, MenuItem, Notification, Tray } from './menu.ts'
export {
  autoUpdater,
  clipboard,
  dialog,
  nativeImage,
  nativeTheme,
  net,
  powerMonitor,
  screen,
  session,
  shell,
  systemPreferences,
} from './system.ts'
export { BrowserWindow } from './window.ts'
