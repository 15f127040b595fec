import { app, clipboard, Menu, nativeImage, Tray } from 'electron'
import { join } from 'node:path'

import type { MenuItemConstructorOptions } from 'electron'

import type { Shell } from '../handlers.ts'
import { namesOfWork } from '../running-work.ts'
import { text } from '../texts.ts'

const UPDATE_INTERVAL_MS = 5000
const MAX_PROJECTS = 5

const separator: MenuItemConstructorOptions = { type: 'separator' }

/** Returns the item that pauses or resumes the built-in runner; an empty list if the runner is disabled. */
function runnerItems(of: Shell, update: () => void): MenuItemConstructorOptions[] {
  const paused = of.builtInRunner.isPaused()
  if (paused === undefined) return []
  const click = () => {
    of.builtInRunner.setPaused(!paused)
    update()
  }
  return [{ id: 'runner', label: text(paused ? 'tray.resume' : 'tray.pause'), click }]
}

function workItems(of: Shell): MenuItemConstructorOptions[] {
  const work = of.runningWork()
  const jobs = work.filter(({ kind }) => kind === 'job').length
  const count =
    jobs === 0 ? text('tray.no_jobs') : jobs === 1 ? text('tray.one_job') : text('tray.jobs', { count: jobs })
  return [
    { label: count, enabled: false },
    ...namesOfWork(work).map((label) => ({ label: `   ${label}`, enabled: false })),
    ...of.failedPipelines().map(({ name, page }) => ({
      label: text('tray.failed', { name }),
      click: () => of.goTo(page),
    })),
  ]
}

function itemsFor(of: Shell, update: () => void): MenuItemConstructorOptions[] {
  const recent = of.recentProjects().slice(0, MAX_PROJECTS)
  return [
    { label: text('tray.running_at', { address: of.origin }), enabled: false },
    ...workItems(of),
    { label: text('menu.copy_address'), click: () => void clipboard.writeText(of.origin) },
    ...runnerItems(of, update),
    separator,
    ...recent.map(({ name, path }) => ({ label: name, click: () => of.goTo(path) })),
    ...(recent.length > 0 ? [separator] : []),
    { label: text('tray.open'), click: () => of.open() },
    { label: text('menu.quit'), click: () => app.quit() },
  ]
}

function toolTip(of: Shell): string {
  const busy = of.runningWork().length
  const failures = of.failedPipelines().length
  const states = [
    text('tray.running_at', { address: of.origin }),
    ...(busy > 0 ? [text('tray.busy', { count: busy })] : []),
    ...(failures > 0 ? [text('tray.failures', { count: failures })] : []),
    ...(of.builtInRunner.isPaused() === true ? [text('tray.paused')] : []),
  ]
  return `Deskforge: ${states.join(', ')}`
}

/**
 * Adds an icon to the system tray. Its menu shows the address, running jobs, failed pipelines and recent projects.
 * Returns undefined if the desktop has no tray.
 */
export function openTray(of: Shell): Tray | undefined {
  const file = process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'
  try {
    const tray = new Tray(nativeImage.createFromPath(join(import.meta.dirname, 'icons', file)))
    let shownLabels = ''
    const update = (): void => {
      const items = itemsFor(of, update)
      // An unchanged menu is not replaced, because that would close an open one.
      const labels = items.map(({ label }) => label).join('\n')
      if (shownLabels === labels) return
      shownLabels = labels
      tray.setToolTip(toolTip(of))
      tray.setContextMenu(Menu.buildFromTemplate(items))
    }
    update()
    setInterval(update, UPDATE_INTERVAL_MS).unref()
    // The menu is updated when the pointer reaches the icon. Linux does not have this event.
    tray.on('mouse-enter', update)
    tray.on('click', () => of.open())
    return tray
  } catch {
    return undefined
  }
}
