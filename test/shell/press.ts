import type { Page } from '@playwright/test'

import { expect, owner, type Desktop } from './desktop.ts'
import { recordsOf, takeBoxes, takeOpened } from './records.ts'

// Actions that several journeys share.

/** The page of the instance, after it was rendered. */
export async function opened(desktop: Desktop): Promise<Page> {
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  return page
}

/** Opens the preferences from the application's menu. */
export async function openPreferences(desktop: Desktop): Promise<Page> {
  const page = await opened(desktop)
  await pressMenu(desktop, 'preferences')
  await expect(page.getByRole('heading', { name: 'Application', level: 1 })).toBeVisible()
  return page
}

/** Selects an item of the application's menu, at any depth. */
export const pressMenu = (desktop: Desktop, id: string): Promise<void> =>
  desktop.evaluate(({ Menu }, itemId) => {
    Menu.getApplicationMenu()?.getMenuItemById(itemId)?.click()
  }, id)

export const closeWindow = (desktop: Desktop): Promise<void> =>
  desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())

export const quit = (desktop: Desktop): Promise<void> => desktop.evaluate(({ app }) => app.quit())

/** Answers the system's dialogs for files and folders with one path. */
export const choosePath = (desktop: Desktop, path: string): Promise<void> =>
  desktop.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [chosen] })
  }, path)

/** Answers the system's message boxes with a button from now on. `boxes` returns their texts. */
export const answerBoxes = (desktop: Desktop, answer: number): Promise<void> =>
  desktop.evaluate(takeBoxes, answer)

/** The message boxes since `answerBoxes`, each with its message and, on another line, its detail. */
export const boxes = async (desktop: Desktop): Promise<string[]> =>
  (await desktop.evaluate(recordsOf)).boxes.map(({ message, detail }) => `${message}\n${detail}`.trim())

/** Prevents that the shell opens anything outside of the application. `openedOutside` returns what it tried to open. */
export const keepInside = (desktop: Desktop): Promise<void> => desktop.evaluate(takeOpened)

export const openedOutside = async (desktop: Desktop): Promise<readonly string[]> =>
  (await desktop.evaluate(recordsOf)).opened

/** The texts of the message boxes that the stand-in showed since the start. */
export const boxesOfStart = (desktop: Desktop): Promise<{ message: string; detail?: string }[]> =>
  desktop.evaluate(({ dialog }) =>
    (dialog as unknown as { asked: { message: string; detail?: string }[] }).asked.map(
      ({ message, detail }) => ({ message, ...(detail === undefined ? {} : { detail }) }),
    ),
  )

/** The titles of the notifications that the stand-in showed. */
export const notices = (desktop: Desktop): Promise<string[]> =>
  desktop.evaluate(({ Notification }) =>
    (Notification as unknown as { shown: { title: string }[] }).shown.map(({ title }) => title),
  )

export const clickNotice = (desktop: Desktop): Promise<void> =>
  desktop.evaluate(({ Notification }) => {
    const { shown } = Notification as unknown as { shown: { emit(name: string): void }[] }
    shown[0]?.emit('click')
  })

export const copied = (desktop: Desktop): Promise<string> =>
  desktop.evaluate(({ clipboard }) => clipboard.readText())

export const windowCount = (desktop: Desktop): Promise<number> =>
  desktop.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)

interface StandInTray {
  readonly toolTip: string
  readonly menu: { readonly items: { readonly label: string; click(): void }[] }
}

/** The labels of the tray's menu. */
export const trayLabels = (desktop: Desktop): Promise<string[]> =>
  desktop.evaluate(({ Tray }) => {
    const { all } = Tray as unknown as { all: StandInTray[] }
    return all[0]?.menu.items.map(({ label }) => label) ?? []
  })

export const trayToolTip = (desktop: Desktop): Promise<string | undefined> =>
  desktop.evaluate(({ Tray }) => (Tray as unknown as { all: StandInTray[] }).all[0]?.toolTip)

/** Selects the first item of the tray's menu with a label that begins like this. */
export const pressTray = (desktop: Desktop, label: string): Promise<void> =>
  desktop.evaluate(({ Tray }, beginning) => {
    const { all } = Tray as unknown as { all: StandInTray[] }
    const item = all[0]?.menu.items.find((entry) => entry.label.startsWith(beginning))
    if (!item) throw new Error(`The tray has no "${beginning}".`)
    item.click()
  }, label)

/** Sends a request to the instance as its owner. */
export async function ask<Answer = { id: number }>(
  origin: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const headers = { 'private-token': owner.DESKFORGE_ROOT_TOKEN, 'content-type': 'application/json' }
  const answer = await fetch(`${origin}/api/v4${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  expect(answer.status, text).toBeLessThan(300)
  return JSON.parse(text) as Answer
}

/** Starts a job and requests it as a runner. Returns a function that ends it. */
export async function startJob(origin: string, name = 'busy'): Promise<() => Promise<void>> {
  await ask(origin, 'POST', '/projects', { name, initialize_with_readme: true })
  const runner = { runner_type: 'instance_type', run_untagged: true }
  const { token } = await ask<{ token: string }>(origin, 'POST', '/user/runners', runner)
  await ask(origin, 'POST', `/projects/root%2F${name}/repository/files/.gitlab-ci.yml`, {
    branch: 'main',
    content: 'slow:\n  script: [sleep 60]\n',
    commit_message: 'A pipeline',
  })
  const headers = { 'content-type': 'application/json' }
  let job: { id: number; token: string } | undefined
  await expect
    .poll(async () => {
      const body = JSON.stringify({ token })
      const answer = await fetch(`${origin}/api/v4/jobs/request`, { method: 'POST', headers, body })
      if (answer.status === 201) job = (await answer.json()) as typeof job
      return answer.status
    })
    .toBe(201)
  return async () => {
    const body = JSON.stringify({ token: job?.token, state: 'success' })
    const answer = await fetch(`${origin}/api/v4/jobs/${String(job?.id)}`, { method: 'PUT', headers, body })
    expect(answer.status).toBe(200)
  }
}

/** Closes the window and opens it again, as from the dock. */
export async function openAnother(desktop: Desktop): Promise<Page> {
  await closeWindow(desktop)
  await expect.poll(() => windowCount(desktop)).toBe(0)
  await desktop.evaluate(({ app }) => void app.emit('activate'))
  return opened(desktop)
}
