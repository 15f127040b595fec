import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { PreferenceChanges, RecentProject } from './bridge.ts'
import { isPath } from './origin.ts'
import { isLocale, type Locale } from './texts.ts'

/** The stored preferences of the application. Settings of the instance are in its database. */
export interface Preferences {
  /** The port that a start tries first: the one that the user chose, or the one of the last start. */
  port?: number
  /** The git program that the user chose. */
  gitPath?: string
  /** Whether closing the last window quits the application, which interrupts running pushes and pipelines. */
  quitOnClose?: boolean
  /** Whether the application shows system notifications. Defaults to true. */
  notifications?: boolean
  /** Whether the application checks for updates at the start and once a day. */
  updates?: boolean
  /** The https address of the folder with the releases. */
  updateFeed?: string
  /** Whether the notification that the instance keeps running without a window was shown. */
  hasSeenTrayNotice?: boolean
  /** The last language of the window, for texts that are shown before it opens. */
  locale?: Locale
  /** The recently opened projects, for the tray before a window opens. */
  recentProjects?: readonly RecentProject[]
}

const MAX_PORT = 65_535
const MAX_RECENT_PROJECTS = 8

const isPort = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_PORT

/**
 * Returns true for a valid update feed. Updates replace the program, so the feed must use TLS, except on this
 * computer.
 */
export function isFeed(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 2000 || !URL.canParse(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || (protocol === 'http:' && hostname === '127.0.0.1')
}

/** Returns the valid recent projects in the data of a page or a file. */
export function recentProjectsOf(value: unknown): RecentProject[] {
  if (!Array.isArray(value)) return []
  return value
    .filter((project): project is RecentProject => typeof project?.name === 'string' && isPath(project.path))
    .slice(0, MAX_RECENT_PROJECTS)
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
    ...Object.fromEntries(flags.filter(([, value]) => typeof value === 'boolean')),
    ...(isPort(port) ? { port } : {}),
    // A page can only reset the git program. The user chooses a program in a dialog of the system.
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

/** The preferences in `<data folder>/window/preferences.json`. A damaged file counts as empty. */
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

  /** Changes and saves preferences. A change that cannot be saved is valid until the application ends. */
  set(changes: Preferences): void {
    this.#values = { ...this.#values, ...changes }
    try {
      mkdirSync(dirname(this.#file), { recursive: true })
      writeFileSync(this.#file, `${JSON.stringify(this.#values, null, 2)}\n`)
    } catch {
      // The disk may be read-only or full.
    }
  }

  /** Resets a preference to its default. */
  unset(name: keyof Preferences): void {
    const { [name]: _, ...rest } = this.#values
    this.#values = rest
    this.set({})
  }
}
