/**
 * The channels between the window and the shell, at most sixteen. They are for what a web page cannot do itself over
 * HTTP. This file imports nothing, so that the renderer can use its types without those of Electron and Node. The
 * handlers are in `handlers.ts`.
 */

export type Theme = 'system' | 'light' | 'dark'

/**
 * The accent color of the system, for the design tokens of the window: hue in degrees, chroma from 0 (graphite) to 1.
 */
export interface Accent {
  readonly hue: number
  readonly chroma: number
}

export interface ShellInfo {
  readonly version: string
  readonly electron: string
  readonly chrome: string
  readonly platform: string
  /** The address of the instance, for other tools on this machine. */
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

/** A step of an update: look for a new version, or download it. A second `install` restarts with the new version. */
export type UpdateStep = 'check' | 'install'

/** The preferences of the application. Settings of the instance are in its database. */
export interface ApplicationPreferences {
  readonly openAtLogin: boolean
  readonly quitOnClose: boolean
  readonly notifications: boolean
  /** The port that the next start tries first. */
  readonly port: number
  /** The git program that the user chose; null for the bundled one or the one of the system. */
  readonly gitPath: string | null
  readonly dataDir: string
  /** Whether the application checks for updates at the start and once a day. */
  readonly updates: boolean
  /** The https address of the folder with the releases; empty without one. */
  readonly updateFeed: string
  /** The result of the last check for updates; `off` before the first one. */
  readonly update: UpdateState
  /** Whether the port or the git program changed, which takes effect at the next start. */
  readonly needsRestart: boolean
}

export type PreferenceChanges = Partial<
  Pick<
    ApplicationPreferences,
    'openAtLogin' | 'quitOnClose' | 'notifications' | 'port' | 'gitPath' | 'updates' | 'updateFeed'
  >
>

/** Actions that open a dialog of the system or restart the application. */
export type PreferenceAction = 'choose_git' | 'use_folder' | 'move_folder' | 'restart'

/** The progress of copying the data folder to a new folder. */
export interface MoveProgress {
  readonly copiedBytes: number
  readonly totalBytes: number
}

/** A project for the tray, the dock menu and the jump list. */
export interface RecentProject {
  readonly name: string
  /** The path of its page on the instance. */
  readonly path: string
}

export interface Notice {
  readonly title: string
  readonly body: string
  /** The path of the page that a click opens. */
  readonly path?: string
}

/** A repository of the instance to clone, with a token that can read it. */
export interface CloneRequest {
  readonly url: string
  /** The name of the new folder. */
  readonly name: string
  readonly username: string
  readonly token: string
}

/** The folder of the clone, or the reason why it failed. */
export type CloneAnswer = { readonly path: string } | { readonly problem: string }

/** A command of the window, for the application's menu. */
export interface Command {
  /** Its keyboard shortcut, which also identifies it: `mod+k`, `g p`, `?`. */
  readonly keys: string
  readonly label: string
  readonly group: string
  /** Whether the command opens a view. */
  readonly isView: boolean
}

/** Calls from the window to the shell. Each has one answer. */
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

/** Messages from the shell to the window. */
export interface Pushes {
  /** The path of the page to open. */
  'shell.go': string
  /** The keyboard shortcut of the command to run. */
  'shell.run_command': string
  'shell.accent_changed': Accent | null
  'shell.update': UpdateState
  'shell.moving': MoveProgress
}

export type CallName = keyof Calls
export type PushName = keyof Pushes

/** `window.desktop`, which exists in the window of the application but not in a browser. */
export interface DesktopBridge {
  readonly platform: string
  info(): Promise<ShellInfo>
  setTheme(theme: Theme): Promise<void>
  /** Opens the system's dialog to choose a folder. Resolves with null if it was canceled. */
  chooseFolder(title: string): Promise<string | null>
  /** Shows a file or folder in the file manager. Resolves with false if it does not exist. */
  revealInFileManager(path: string): Promise<boolean>
  /**
   * Opens an http or https URL in the browser, or a link to clone a repository in an editor. Resolves with false for
   * other URLs.
   */
  openExternal(url: string): Promise<boolean>
  /** Clones a repository of the instance into a new folder below `parent`. */
  clone(parent: string, request: CloneRequest): Promise<CloneAnswer>
  setBadge(count: number): Promise<void>
  notify(notice: Notice): Promise<void>
  /** Signs the window in as the first administrator. Resolves with false if the instance has none. */
  signIn(): Promise<boolean>
  preferences(): Promise<ApplicationPreferences>
  /** Changes preferences and resolves with all of them. Invalid values are ignored. */
  setPreferences(changes: PreferenceChanges): Promise<ApplicationPreferences>
  runPreferenceAction(action: PreferenceAction): Promise<ApplicationPreferences>
  /** Sets the commands that are available in the current page, for the menu, and the language of the page. */
  setCommands(commands: readonly Command[], locale: string): Promise<void>
  /** Sets the recently opened projects, the most recent first. */
  setRecentProjects(projects: readonly RecentProject[]): Promise<void>
  checkForUpdate(): Promise<UpdateState>
  /** Downloads the available update. A second call restarts the application with it. */
  installUpdate(): Promise<UpdateState>
  /** Shows the menu of the application, because the window has no menu bar on Windows and Linux, so many pixels from the left of the window. */
  showMenu(left: number): Promise<void>
  /** Returns the path of a file or folder that was dropped on the window. */
  pathOf(file: unknown): string
  /**
   * Subscribes to requests to open a page. This function and the following ones return a function that ends the
   * subscription.
   */
  onGo(listener: (path: string) => void): () => void
  onCommand(listener: (keys: string) => void): () => void
  onUpdate(listener: (state: UpdateState) => void): () => void
  onMoving(listener: (progress: MoveProgress) => void): () => void
}
