/**
 * The channels between the window and the shell: only what a web page cannot do itself over HTTP. At most sixteen. This
 * file imports nothing, so that the renderer can use its types without those of Electron and Node; the handlers are in
 * `handlers.ts`.
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
  readonly state: 'off' | 'current' | 'checking' | 'available' | 'downloading' | 'ready' | 'failed'
  readonly version?: string
  /** Release notes as plain text. */
  readonly notes?: string
  readonly message?: string
}

/** Looks for a newer version; downloads it, and with a second call restarts with it. */
export type UpdateStep = 'check' | 'install'

/** The preferences of the application itself; settings of the instance are in its database. */
export interface ApplicationPreferences {
  readonly openAtLogin: boolean
  readonly quitOnClose: boolean
  readonly notifications: boolean
  /** The port that the next start tries first. */
  readonly port: number
  /** The git program that the user chose; null for the bundled one or that of the system. */
  readonly gitPath: string | null
  readonly dataDir: string
  /** Look for updates at the start and once a day. */
  readonly updates: boolean
  /** The https address of the folder with the releases; empty without one. */
  readonly updateFeed: string
  /** What the last check for updates found; `off` before the first one. */
  readonly update: UpdateState
  /** The port or the git program changed and takes effect at the next start. */
  readonly needsRestart: boolean
}

export type PreferenceChanges = Partial<
  Pick<
    ApplicationPreferences,
    'openAtLogin' | 'quitOnClose' | 'notifications' | 'port' | 'gitPath' | 'updates' | 'updateFeed'
  >
>

/** Preferences that need a dialog of the system, or the end of the application. */
export type PreferenceAction = 'choose_git' | 'use_folder' | 'move_folder' | 'restart'

/** How much of the data folder has been copied to the new folder. */
export interface MoveProgress {
  readonly copiedBytes: number
  readonly totalBytes: number
}

/** A project for the tray, the dock menu and the jump list. */
export interface RecentProject {
  readonly name: string
  /** Its page, as a path of this instance. */
  readonly path: string
}

export interface Notice {
  readonly title: string
  readonly body: string
  /** The page that a click opens, as a path of this instance. */
  readonly path?: string
}

/** A repository of this instance to clone, and a token that may read it. */
export interface CloneRequest {
  readonly url: string
  /** The name of the new folder. */
  readonly name: string
  readonly username: string
  readonly token: string
}

/** The folder of the clone, or why there is none. */
export type CloneAnswer = { readonly path: string } | { readonly problem: string }

/** A command of the window, for the application's menu. */
export interface Command {
  /** Its shortcut, which is also its name: `mod+k`, `g p`, `?`. */
  readonly keys: string
  readonly label: string
  readonly group: string
  /** It opens a view. */
  readonly isView: boolean
}

/** Calls of the window to the shell; each has one answer. */
export interface Calls {
  'shell.info': { args: []; answer: ShellInfo }
  'shell.accent': { args: []; answer: Accent | null }
  'shell.set_theme': { args: [theme: Theme]; answer: void }
  'shell.choose_folder': { args: [title: string]; answer: string | null }
  'shell.reveal': { args: [path: string]; answer: boolean }
  'shell.open_external': { args: [url: string]; answer: boolean }
  'shell.clone': { args: [parent: string, request: CloneRequest]; answer: CloneAnswer }
  'shell.set_badge': { args: [count: number]; answer: void }
  'shell.notify': { args: [notice: Notice]; answer: void }
  'shell.sign_in': { args: []; answer: boolean }
  'shell.preferences': { args: [changes: PreferenceChanges | null]; answer: ApplicationPreferences }
  'shell.run_preference_action': { args: [action: PreferenceAction]; answer: ApplicationPreferences }
  'shell.set_commands': { args: [commands: readonly Command[], locale: string]; answer: void }
  'shell.set_recent_projects': { args: [projects: readonly RecentProject[]]; answer: void }
  'shell.run_update': { args: [step: UpdateStep]; answer: UpdateState }
  'shell.show_menu': { args: [left: number]; answer: void }
}

/** Messages of the shell to the window. */
export interface Pushes {
  /** Open this page: a path of this instance. */
  'shell.go': string
  /** Run the command with this shortcut. */
  'shell.run_command': string
  'shell.accent_changed': Accent | null
  'shell.update': UpdateState
  'shell.moving': MoveProgress
}

export type CallName = keyof Calls
export type PushName = keyof Pushes

/** `window.desktop`: present in the application's own window, absent in a browser. */
export interface DesktopBridge {
  readonly platform: string
  info(): Promise<ShellInfo>
  setTheme(theme: Theme): Promise<void>
  /** Opens the system's dialog to choose a folder; null when it was cancelled. */
  chooseFolder(title: string): Promise<string | null>
  /** Shows a file or folder in the file manager; false when it is not there. */
  revealInFileManager(path: string): Promise<boolean>
  /** Opens an http or https address in the browser, and an editor's link to clone a repository; false for anything else. */
  openExternal(url: string): Promise<boolean>
  /** Clones a repository of this instance into a new folder below another one. */
  clone(parent: string, request: CloneRequest): Promise<CloneAnswer>
  setBadge(count: number): Promise<void>
  notify(notice: Notice): Promise<void>
  /** Signs the window in as the owner of this machine; false when the instance has no such account. */
  signIn(): Promise<boolean>
  preferences(): Promise<ApplicationPreferences>
  /** Changes preferences and resolves with all of them. Invalid values are ignored. */
  setPreferences(changes: PreferenceChanges): Promise<ApplicationPreferences>
  runPreferenceAction(action: PreferenceAction): Promise<ApplicationPreferences>
  /** The commands that work in the page just now, which the application's menu shows, and the language of the page. */
  setCommands(commands: readonly Command[], locale: string): Promise<void>
  /** The projects opened last, the last one first. */
  setRecentProjects(projects: readonly RecentProject[]): Promise<void>
  checkForUpdate(): Promise<UpdateState>
  /** Downloads the update that was found; a second call restarts the application with it. */
  installUpdate(): Promise<UpdateState>
  /** Shows the menu of the application, which has no bar on Windows and Linux, so many pixels from the left of the window. */
  showMenu(left: number): Promise<void>
  /** The path of a file or folder that was dropped on the window. */
  pathOf(file: unknown): string
  /** Each returns a function that ends the subscription. */
  onGo(listener: (path: string) => void): () => void
  onCommand(listener: (keys: string) => void): () => void
  onUpdate(listener: (state: UpdateState) => void): () => void
  onMoving(listener: (progress: MoveProgress) => void): () => void
}
