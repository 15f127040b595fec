import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, isReal, owner, test, type Desktop } from '../desktop.ts'
import { closeWindow, opened, openPreferences, trayLabels } from '../press.ts'

const menuLabels = (desktop: Desktop) =>
  desktop.evaluate(({ Menu }) => Menu.getApplicationMenu()?.items.map(({ label }) => label) ?? [])

test('preferences and the language are saved and used at the next start', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await opened(desktop)
  expect(await menuLabels(desktop)).toContain('File')
  await openPreferences(desktop)
  await page.getByRole('switch', { name: 'Quit when the window closes' }).check()
  await page.getByLabel('Port').fill('70000')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('must be a number from 1 to 65535')).toBeVisible()
  await page.getByLabel('Port').fill('7099')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { name: 'Restart to finish' })).toBeVisible()

  // The menus follow the language of the window.
  await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch')
  await expect.poll(() => menuLabels(desktop)).toContain('Datei')
  // The views are in the menu of views in every language.
  const views = () =>
    desktop.evaluate(({ Menu }) =>
      Menu.getApplicationMenu()
        ?.getMenuItemById('go')
        ?.submenu?.items.map(({ id }) => id)
        .filter((id) => id !== ''),
    )
  await expect.poll(views).toContain('command:g p')
  expect((await menuLabels(desktop)).filter((label) => /^[A-Z]/.test(label))).toEqual(
    expect.arrayContaining(['Datei', 'Bearbeiten', 'Gehe zu', 'Ansicht', 'Fenster', 'Hilfe']),
  )
  await desktop.stop()

  const second = await start({ env: owner, args: ['--hidden'] })
  // Electron does not let a program read the menu of a tray.
  if (!isReal) await expect.poll(() => trayLabels(second)).toContain('Kein Job läuft')
  // The window has the language of its own storage, which goes with the port.
  await second.evaluate(({ app }) => void app.emit('activate'))
  const again = await openPreferences(second)
  await expect(again.getByRole('switch', { name: 'Quit when the window closes' })).toBeChecked()
  await expect(again.getByLabel('Port')).toHaveValue('7099')
  await closeWindow(second).catch(() => undefined)
  expect(await second.ended).toBe(0)
})

test('texts before the window opens follow the language of the system', async ({ start, folder }) => {
  test.skip(isReal, 'the language of a real system cannot be chosen by a journey')
  writeFileSync(folder.path('file'), '')
  const dataDir = join(folder.path('file'), 'data')
  const desktop = await start({ dataDir, env: { ...owner, STAND_IN_LANGUAGES: 'fr-FR,de-DE' } })
  const page = await desktop.page(/^data:/)
  await expect(page.getByRole('heading')).toHaveText('Deskforge konnte nicht starten')
  await expect(page.getByRole('alert')).toContainText('kann nicht geschrieben werden: eine Datei ist im Weg.')
  await expect(page.getByRole('link', { name: 'Noch einmal versuchen' })).toBeVisible()
})
