import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { PreferenceChanges, RecentProject } from './bridge.ts'
import { isPath } from './origin.ts'
import { isLocale, type Locale } from './texts.ts'

/** The user's choices for the application itself; settings of the instance are in its database. */
export interface Preferences {
  /** The port that a start tries first: the chosen one, or the last one if the default port was in use. */
  port?: number
  /** The git program that the user chose. */
  gitPath?: string
  /** Closing the last window ends the application, including running pushes and pipelines. */
  quitOnClose?: boolean
  /** False: the application shows no notifications of the system. */
  notifications?: boolean
  /** Look for updates at the start and once a day. */
  updates?: boolean
  /** The https address of the folder with the releases. */
  updateFeed?: string
  /** The user saw the notice that the instance keeps running without a window. */
  hasSeenTrayNotice?: boolean
  /** The language that the window had last, for what is shown before it opens. */
  locale?: Locale
  /** The projects opened last, for the tray before a window opens. */
  recentProjects?: readonly RecentProject[]
}

const PORTS = 65_536
const RECENT = 8

const isPort = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < PORTS

/** Updates replace the program, so their feed needs TLS, except on this computer. */
export function isFeed(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 2000 || !URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || (protocol === 'http:' && hostname === '127.0.0.1')
}

/** Returns the valid recent projects in the data of a page or a file. */
export function recentProjectsOf(value: unknown): RecentProject[] {
  if (!Array.isArray(value)) return []
  return value
    .filter((one): one is RecentProject => typeof one?.name === 'string' && isPath(one.path))
    .slice(0, RECENT)
    .map(({ name, path }) => ({ name: name.slice(0, 200), path }))
}

/** Returns the valid changes in the data of a page or a file. */
export function changesOf(value: unknown): PreferenceChanges {
  if (typeof value !== 'object' || value === null) return {}
  const { port, gitPath, openAtLogin, quitOnClose, notifications, updates, updateFeed } = value as Record<
    string,
    unknown
  >
  const flags = Object.entries({ openAtLogin, quitOnClose, notifications, updates })
  return {
    ...Object.fromEntries(flags.filter(([, wanted]) => typeof wanted === 'boolean')),
    ...(isPort(port) ? { port } : {}),
    // A page can only reset the choice; the user chooses a program in a dialog of the system.
    ...(gitPath === null ? { gitPath } : {}),
    ...(updateFeed === '' || isFeed(updateFeed) ? { updateFeed } : {}),
  }
}

function parse(text: string): Preferences {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) return {}
  const { gitPath, hasSeenTrayNotice, recentProjects, locale } = value as Record<string, unknown>
  const { gitPath: _, openAtLogin: __, ...changes } = changesOf(value)
  return {
    ...changes,
    ...(typeof gitPath === 'string' && gitPath !== '' ? { gitPath } : {}),
    ...(isLocale(locale) ? { locale } : {}),
    hasSeenTrayNotice: hasSeenTrayNotice === true,
    recentProjects: recentProjectsOf(recentProjects),
  }
}

/** Preferences in `<data folder>/window/preferences.json`. A damaged file counts as none. */
export class PreferencesFile {
  readonly #file: string
  #values: Preferences

  constructor(dataDir: string) {
    this.#file = join(dataDir, 'window/preferences.json')
    try {
      this.#values = parse(readFileSync(this.#file, 'utf8'))
    } catch {
      this.#values = {}
    }
  }

  get values(): Preferences {
    return this.#values
  }

  /** Changes and saves. A choice that cannot be saved is valid until the application ends. */
  set(changes: Preferences): void {
    this.#values = { ...this.#values, ...changes }
    try {
      mkdirSync(dirname(this.#file), { recursive: true })
      writeFileSync(this.#file, `${JSON.stringify(this.#values, null, 2)}\n`)
    } catch {
      // Read-only or full disk.
    }
  }

  /** Resets a choice. */
  unset(name: keyof Preferences): void {
    const { [name]: _, ...rest } = this.#values
    this.#values = rest
    this.set({})
  }
}
