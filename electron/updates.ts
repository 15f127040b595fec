import { app } from 'electron'

import { join } from 'node:path'

import type { AppUpdater, UpdateInfo } from 'electron-updater'

import type { UpdateState } from './bridge.ts'
import type { PreferencesFile } from './preferences.ts'
import { text } from './texts.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Looks for updates in the feed of the preferences: a folder of releases on a web server, as electron-builder writes it. The
 * application contacts no host before the user turns updates on or presses "Check now".
 */
export interface Updates {
  /** The result of the last check. */
  state(): UpdateState
  /** Finds out whether the feed has a newer version. Downloads nothing. */
  check(): Promise<UpdateState>
  /** Downloads the version that was found, then restarts the application with it. */
  install(): Promise<UpdateState>
  /** Checks now and once a day while the preference is on. */
  follow(): void
}

function notesOf({ releaseNotes }: UpdateInfo): string | undefined {
  if (!releaseNotes) return undefined
  const notes = Array.isArray(releaseNotes)
    ? releaseNotes.map(({ version, note }) => `${version}\n${note ?? ''}`).join('\n\n')
    : releaseNotes
  // Markdown and HTML become plain text.
  return notes.replaceAll(/<[^>]*>|\*\*|`/g, '').slice(0, 10_000)
}

/** The first line; the library appends the whole answer of the feed. */
const sentenceOf = (error: unknown) => String((error as Error).message ?? error).split('\n', 1)[0] ?? ''

/** Loaded on first use: most starts never look for updates. */
async function openUpdater(feed: string): Promise<AppUpdater> {
  const { autoUpdater } = (await import('electron-updater')).default
  autoUpdater.autoDownload = false
  autoUpdater.autoInstallOnAppQuit = false
  autoUpdater.forceDevUpdateConfig = !app.isPackaged
  autoUpdater.logger = null
  // Names the folder for downloads; the address in it is never used.
  autoUpdater.updateConfigPath = join(import.meta.dirname, 'updates.yml')
  autoUpdater.setFeedURL({ provider: 'generic', url: feed })
  // Failed calls reject as well; without a listener the event would end the process.
  if (autoUpdater.listenerCount('error') === 0) autoUpdater.on('error', () => undefined)
  return autoUpdater
}

interface Parts {
  readonly preferences: PreferencesFile
  changed(state: UpdateState): void
  /** A check that the user did not ask for found a version. Called once for each. */
  found(version: string): void
  /** Closes the instance; false while work is running. */
  prepareRestart(): Promise<boolean>
}

export function updates({ preferences, changed, found, prepareRestart }: Parts): Updates {
  let state: UpdateState = { state: 'off' }
  let timer: NodeJS.Timeout | undefined
  const set = (next: UpdateState): UpdateState => {
    state = next
    changed(next)
    return next
  }
  const attempt = async (work: (updater: AppUpdater) => Promise<UpdateState>): Promise<UpdateState> => {
    const { updateFeed } = preferences.values
    if (!updateFeed) return set({ state: 'off', message: text('updates.no_feed') })
    try {
      return set(await work(await openUpdater(updateFeed)))
    } catch (error) {
      return set({ state: 'failed', message: sentenceOf(error) })
    }
  }

  const check = (): Promise<UpdateState> =>
    attempt(async (updater) => {
      set({ state: 'checking' })
      const result = await updater.checkForUpdates()
      if (!result?.isUpdateAvailable) return { state: 'current', version: app.getVersion() }
      const notes = notesOf(result.updateInfo)
      return { state: 'available', version: result.updateInfo.version, ...(notes ? { notes } : {}) }
    })

  const install = (): Promise<UpdateState> =>
    attempt(async (updater) => {
      if (state.state === 'ready' && (await prepareRestart())) {
        // The new version starts while this one still ends.
        app.releaseSingleInstanceLock()
        updater.quitAndInstall(true, true)
      }
      if (state.state !== 'available') return state
      const wanted = state
      set({ ...wanted, state: 'downloading' })
      await updater.downloadUpdate()
      return { ...wanted, state: 'ready' }
    })

  const announced = new Set<string>()
  const checkUnasked = async (): Promise<void> => {
    // A version that waits for its restart, or is on its way, stays.
    if (state.state === 'downloading' || state.state === 'ready') return
    const { state: result, version } = await check()
    if (result !== 'available' || version === undefined || announced.has(version)) return
    announced.add(version)
    found(version)
  }

  const follow = (): void => {
    clearInterval(timer)
    if (preferences.values.updates !== true || !preferences.values.updateFeed) return
    timer = setInterval(() => void checkUnasked(), DAY_MS).unref()
    void checkUnasked()
  }
  return { state: () => state, check, install, follow }
}
