import { app } from 'electron'

import { join } from 'node:path'

import type { AppUpdater, UpdateInfo } from 'electron-updater'

import type { UpdateState } from './bridge.ts'
import type { PreferencesFile } from './preferences.ts'
import { text } from './texts.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Checks for updates in the feed of the preferences: a folder of releases on a web server, as electron-builder
 * creates it. The application contacts no host before the user enables updates or presses "Check now".
 */
export interface Updates {
  /** Returns the result of the last check. */
  state(): UpdateState
  /** Checks whether the feed has a newer version, without downloading it. */
  check(): Promise<UpdateState>
  /** Downloads the available version. A second call restarts the application with it. */
  install(): Promise<UpdateState>
  /** Checks now and once a day while updates are enabled. */
  scheduleChecks(): void
}

function notesOf({ releaseNotes }: UpdateInfo): string | undefined {
  if (!releaseNotes) return undefined
  const notes = Array.isArray(releaseNotes)
    ? releaseNotes.map(({ version, note }) => `${version}\n${note ?? ''}`).join('\n\n')
    : releaseNotes
  // Markdown and HTML are converted to plain text.
  return notes.replaceAll(/<[^>]*>|\*\*|`/g, '').slice(0, 10_000)
}

/** Returns the first line of an error message. The library appends the whole response of the feed. */
const sentenceOf = (error: unknown) => String((error as Error).message ?? error).split('\n', 1)[0] ?? ''

/**
 * Returns the updater for a feed. The library is loaded on first use, because most starts do not check for updates.
 */
async function openUpdater(feed: string): Promise<AppUpdater> {
  const { autoUpdater } = (await import('electron-updater')).default
  autoUpdater.autoDownload = false
  autoUpdater.autoInstallOnAppQuit = false
  autoUpdater.forceDevUpdateConfig = !app.isPackaged
  autoUpdater.logger = null
  // This file defines the folder for downloads. The address in it is not used.
  autoUpdater.updateConfigPath = join(import.meta.dirname, 'updates.yml')
  autoUpdater.setFeedURL({ provider: 'generic', url: feed })
  // Failed calls reject, too. Without a listener the event would end the process.
  if (autoUpdater.listenerCount('error') === 0) autoUpdater.on('error', () => undefined)
  return autoUpdater
}

interface Options {
  readonly preferences: PreferencesFile
  onStateChange(state: UpdateState): void
  /** Called once for each version that an automatic check found. */
  onVersionFound(version: string): void
  /** Closes the instance. Resolves with false while work is running. */
  prepareRestart(): Promise<boolean>
}

/** Returns the updates of the application. */
export function updates({ preferences, onStateChange, onVersionFound, prepareRestart }: Options): Updates {
  let state: UpdateState = { state: 'off' }
  let timer: NodeJS.Timeout | undefined
  const setState = (newState: UpdateState): UpdateState => {
    state = newState
    onStateChange(newState)
    return newState
  }
  const attempt = async (work: (updater: AppUpdater) => Promise<UpdateState>): Promise<UpdateState> => {
    const { updateFeed } = preferences.values
    if (!updateFeed) return setState({ state: 'off', message: text('updates.no_feed') })
    try {
      return setState(await work(await openUpdater(updateFeed)))
    } catch (error) {
      return setState({ state: 'failed', message: sentenceOf(error) })
    }
  }

  const check = (): Promise<UpdateState> =>
    attempt(async (updater) => {
      setState({ state: 'checking' })
      const result = await updater.checkForUpdates()
      if (!result?.isUpdateAvailable) return { state: 'current', version: app.getVersion() }
      const notes = notesOf(result.updateInfo)
      return { state: 'available', version: result.updateInfo.version, ...(notes ? { notes } : {}) }
    })

  const install = (): Promise<UpdateState> =>
    attempt(async (updater) => {
      if (state.state === 'ready' && (await prepareRestart())) {
        // The new version starts while this process is still ending.
        app.releaseSingleInstanceLock()
        updater.quitAndInstall(true, true)
      }
      if (state.state !== 'available') return state
      const available = state
      setState({ ...available, state: 'downloading' })
      await updater.downloadUpdate()
      return { ...available, state: 'ready' }
    })

  const announced = new Set<string>()
  const checkAutomatically = async (): Promise<void> => {
    // A version that is being downloaded or waits for a restart is not checked again.
    if (state.state === 'downloading' || state.state === 'ready') return
    const { state: result, version } = await check()
    if (result !== 'available' || version === undefined || announced.has(version)) return
    announced.add(version)
    onVersionFound(version)
  }

  const scheduleChecks = (): void => {
    clearInterval(timer)
    if (preferences.values.updates !== true || !preferences.values.updateFeed) return
    timer = setInterval(() => void checkAutomatically(), DAY_MS).unref()
    void checkAutomatically()
  }
  return { state: () => state, check, install, scheduleChecks }
}
