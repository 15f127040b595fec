import { dialog } from 'electron'

import type { ApplicationPreferences, MoveProgress, PreferenceAction, UpdateState } from './bridge.ts'
import { adoptDataDir, chooseDataDir, copyDataDir, refusalOf } from './data-folder.ts'
import { isOpenedAtLogin, setOpenedAtLogin } from './login-item.ts'
import { changesOf, type PreferencesFile } from './preferences.ts'
import { push, type Shell } from './handlers.ts'
import { restart } from './quit.ts'
import { namesOfWork } from './running-work.ts'
import { text } from './texts.ts'

/** The preferences of the application, for the page that shows and changes them. */
export interface PreferenceActions {
  values(): ApplicationPreferences
  /** Applies the valid changes among what the page sends. */
  change(changes: unknown): ApplicationPreferences
  run(action: unknown): Promise<ApplicationPreferences>
  /** Closes the instance for a restart of the application. If work is running, shows it and returns false. */
  prepareRestart(): Promise<boolean>
}

interface Parts {
  readonly shell: Pick<Shell, 'origin' | 'dataDir' | 'window' | 'runningWork'>
  readonly preferences: PreferencesFile
  readonly defaultDir: string
  /** What the last check for updates found. */
  update(): UpdateState
  /** Called when the preferences of updates changed. */
  updatesChanged(): void
  close(): Promise<void>
}

async function choose(kind: 'openFile' | 'openDirectory', title: string): Promise<string | undefined> {
  const properties = kind === 'openFile' ? [kind] : [kind, 'createDirectory' as const]
  const { canceled, filePaths } = await dialog.showOpenDialog({ title, properties })
  return canceled ? undefined : filePaths[0]
}

const PROGRESS_EVERY_MS = 100

/** Shows the progress of a move in the page and on the icon. */
function showProgress(shell: Parts['shell']): (progress: MoveProgress) => void {
  let last = -Infinity
  return (progress) => {
    if (performance.now() - last < PROGRESS_EVERY_MS) return
    last = performance.now()
    const { copiedBytes, totalBytes } = progress
    shell.window()?.setProgressBar(totalBytes === 0 ? 1 : Math.min(copiedBytes / totalBytes, 1))
    push(shell, 'shell.moving', progress)
  }
}

export function preferenceActions(parts: Parts): PreferenceActions {
  const { shell, preferences, defaultDir, close } = parts
  const { dataDir } = shell
  let needsRestart = false
  const explain = (message: string) =>
    dialog.showMessageBox({ type: 'error', message, buttons: [text('crash.ok')] })
  const isIdle = async (): Promise<boolean> => {
    const work = shell.runningWork()
    if (work.length > 0) await explain([text('quit.wait_first'), ...namesOfWork(work)].join('\n'))
    return work.length === 0
  }

  const prepareRestart = async (): Promise<boolean> => {
    if (!(await isIdle())) return false
    await close()
    return true
  }

  const values = (): ApplicationPreferences => {
    const { port, gitPath, quitOnClose, notifications, updates, updateFeed } = preferences.values
    return {
      openAtLogin: isOpenedAtLogin(),
      quitOnClose: quitOnClose === true,
      notifications: notifications !== false,
      port: port ?? Number(new URL(shell.origin).port),
      gitPath: gitPath ?? null,
      dataDir,
      updates: updates === true,
      updateFeed: updateFeed ?? '',
      update: parts.update(),
      needsRestart,
    }
  }

  const actions: Record<PreferenceAction, () => Promise<void>> = {
    choose_git: async () => {
      const gitPath = await choose('openFile', text('choose.git'))
      if (!gitPath) return
      preferences.set({ gitPath })
      needsRestart = true
    },
    use_folder: async () => {
      const folder = await choose('openDirectory', text('choose.folder'))
      if (!folder || !(await isIdle())) return
      const refusal = adoptDataDir(defaultDir, folder)
      if (refusal) {
        await explain(refusal)
        return
      }
      await close()
      restart({ keepFolder: false })
    },
    move_folder: async () => {
      const folder = await choose('openDirectory', text('choose.empty_folder'))
      if (!folder) return
      const refusal = refusalOf(dataDir, folder)
      if (refusal) {
        await explain(refusal)
        return
      }
      if (!(await isIdle())) return
      await close()
      try {
        await copyDataDir(dataDir, folder, showProgress(shell))
        chooseDataDir(defaultDir, folder)
      } catch (error) {
        // The old folder is untouched, and the next start uses it.
        await explain(text('folder.not_moved', { reason: (error as Error).message }))
      }
      restart({ keepFolder: false })
    },
    restart: async () => {
      if (await prepareRestart()) restart({ keepFolder: true })
    },
  }

  return {
    values,
    prepareRestart,
    change: (wanted) => {
      const { openAtLogin, gitPath, ...changes } = changesOf(wanted)
      if (openAtLogin !== undefined) setOpenedAtLogin(openAtLogin)
      if (gitPath === null) preferences.unset('gitPath')
      needsRestart ||= gitPath === null || (changes.port ?? values().port) !== values().port
      preferences.set(changes)
      if (changes.updates !== undefined || changes.updateFeed !== undefined) parts.updatesChanged()
      return values()
    },
    run: async (action) => {
      if (typeof action === 'string' && Object.hasOwn(actions, action))
        await actions[action as PreferenceAction]()
      return values()
    },
  }
}
