/**
 * The channels between the window and the shell: only what a web page cannot do. If a browser could do it
 * over HTTP, it is not here. At most fifteen. This file imports nothing, so that the renderer can take the
 * type without taking Electron's and Node's types with it; the handlers are in `handlers.ts`.
 */

export type Theme = 'system' | 'light' | 'dark'

/** The system's accent colour as the window's tokens want it: hue in degrees, chroma from 0 (graphite) to 1. */
export interface Accent {
  readonly hue: number
  readonly chroma: number
}

export interface ShellInfo {
  readonly version: string
  readonly electron: string
  readonly chrome: string
  readonly platform: string
  /** The instance's own address, for other tools on this machine. */
  readonly address: string
  readonly dataDir: string
}

export interface UpdateState {
  readonly state: 'off' | 'current' | 'checking' | 'available' | 'ready' | 'failed'
  readonly version?: string
  readonly message?: string
}

export interface Notice {
  readonly title: string
  readonly body: string
  /** The page that a click opens, as a path of this instance. */
  readonly path?: string
}

/** Questions and requests of the window; each has one answer. */
export interface Calls {
  'shell.info': { args: []; answer: ShellInfo }
  'shell.accent': { args: []; answer: Accent | null }
  'shell.set_theme': { args: [theme: Theme]; answer: void }
  'shell.choose_folder': { args: [title: string]; answer: string | null }
  'shell.reveal': { args: [path: string]; answer: boolean }
  'shell.open_external': { args: [url: string]; answer: boolean }
  'shell.set_badge': { args: [count: number]; answer: void }
  'shell.notify': { args: [notice: Notice]; answer: void }
  'shell.sign_in': { args: []; answer: boolean }
  'shell.open_at_login': { args: [wanted: boolean | null]; answer: boolean }
  'shell.check_for_update': { args: []; answer: UpdateState }
}

/** What the shell tells the window without being asked. */
export interface Pushes {
  /** Open this page: a path of this instance. */
  'shell.go': string
  'shell.accent_changed': Accent | null
  'shell.update': UpdateState
}

export type CallName = keyof Calls
export type PushName = keyof Pushes

/** `window.desktop`: present in the application's own window, absent in a browser. */
export interface DesktopBridge {
  readonly platform: string
  info(): Promise<ShellInfo>
  setTheme(theme: Theme): Promise<void>
  /** Asks for a folder in the system's dialog; null when the person thought better of it. */
  chooseFolder(title: string): Promise<string | null>
  /** Shows a file or folder in the file manager; false when it is not there. */
  revealInFileManager(path: string): Promise<boolean>
  /** Opens an http or https address in the browser; false for anything else. */
  openExternal(url: string): Promise<boolean>
  setBadge(count: number): Promise<void>
  notify(notice: Notice): Promise<void>
  /** Signs the window in as the owner of this machine; false when the instance has no such account. */
  signIn(): Promise<boolean>
  isOpenedAtLogin(): Promise<boolean>
  setOpenAtLogin(wanted: boolean): Promise<boolean>
  checkForUpdate(): Promise<UpdateState>
  /** The path of a file or folder that was dropped on the window. */
  pathOf(file: unknown): string
  /** Each returns a function that ends the subscription. */
  onGo(listener: (path: string) => void): () => void
  onUpdate(listener: (state: UpdateState) => void): () => void
}
