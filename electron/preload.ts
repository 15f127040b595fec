import { contextBridge, ipcRenderer, webUtils } from 'electron'

import type { Accent, CallName, Calls, DesktopBridge, PushName, Pushes } from './bridge.ts'

function call<Name extends CallName>(
  name: Name,
  ...args: Calls[Name]['args']
): Promise<Calls[Name]['answer']> {
  return ipcRenderer.invoke(name, ...args)
}

function listen<Name extends PushName>(name: Name, listener: (value: Pushes[Name]) => void): () => void {
  const handler = (_event: unknown, value: Pushes[Name]) => listener(value)
  ipcRenderer.on(name, handler)
  return () => ipcRenderer.off(name, handler)
}

// Until the page subscribes, a requested page is opened by navigation.
let goListeners = 0
listen('shell.go', (path) => {
  if (goListeners === 0 && path.startsWith('/')) location.assign(path)
})

function onGo(listener: (path: string) => void): () => void {
  goListeners += 1
  const stop = listen('shell.go', listener)
  return () => {
    goListeners -= 1
    stop()
  }
}

/** Sets hue and chroma of the design tokens. Their lightness stays, and so does the contrast. */
function applyAccent(accent: Accent | null): void {
  const style = document.documentElement.style
  if (!accent) return
  style.setProperty('--accent-h', String(accent.hue))
  style.setProperty('--accent-c', String(accent.chroma))
}

function startAccent(): void {
  call('shell.accent').then(applyAccent, () => undefined)
  listen('shell.accent_changed', applyAccent)
}

if (document.readyState === 'loading') addEventListener('DOMContentLoaded', startAccent, { once: true })
else startAccent()

const desktop = {
  platform: process.platform,
  info: () => call('shell.info'),
  setTheme: (theme) => call('shell.set_theme', theme),
  chooseFolder: (title) => call('shell.choose_folder', title),
  revealInFileManager: (path) => call('shell.reveal', path),
  openExternal: (url) => call('shell.open_external', url),
  clone: (parent, request) => call('shell.clone', parent, request),
  setBadge: (count) => call('shell.set_badge', count),
  notify: (notice) => call('shell.notify', notice),
  signIn: () => call('shell.sign_in'),
  preferences: () => call('shell.preferences', null),
  setPreferences: (changes) => call('shell.preferences', changes),
  runPreferenceAction: (action) => call('shell.run_preference_action', action),
  setCommands: (commands, locale) => call('shell.set_commands', commands, locale),
  setRecentProjects: (projects) => call('shell.set_recent_projects', projects),
  checkForUpdate: () => call('shell.run_update', 'check'),
  installUpdate: () => call('shell.run_update', 'install'),
  showMenu: (left) => call('shell.show_menu', left),
  pathOf: (file) => (file instanceof File ? webUtils.getPathForFile(file) : ''),
  onGo,
  onCommand: (listener) => listen('shell.run_command', listener),
  onUpdate: (listener) => listen('shell.update', listener),
  onMoving: (listener) => listen('shell.moving', listener),
} satisfies DesktopBridge

contextBridge.exposeInMainWorld('desktop', desktop)
