import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, isReal, owner, test, type Desktop } from '../desktop.ts'

const menuLabels = (desktop: Desktop) =>
  desktop.evaluate(({ Menu }) => Menu.getApplicationMenu()?.items.map(({ label }) => label) ?? [])

test('the menus follow the language of the window, also at the next start', async ({ start }) => {
  const desktop = await start({ env: owner })
  const page = await desktop.page()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  expect(await menuLabels(desktop)).toContain('File')
  await page.goto(`${new URL(page.url()).origin}/-/profile/application`)
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
  test.skip(isReal, 'Electron does not let a program read the menu of a tray')
  const again = await start({ env: owner, args: ['--hidden'] })
  const tray = () =>
    again.evaluate(({ Tray }) => {
      const { all } = Tray as unknown as { all: { menu: { items: { label: string }[] } }[] }
      return all[0]?.menu.items.map(({ label }) => label) ?? []
    })
  await expect.poll(tray).toContain('Kein Job läuft')
})

test('what comes before the window follows the language of the system', async ({ start, folder }) => {
  test.skip(isReal, 'the language of a real system cannot be chosen by a journey')
  writeFileSync(folder.path('file'), '')
  const dataDir = join(folder.path('file'), 'data')
  const desktop = await start({ dataDir, env: { ...owner, STAND_IN_LANGUAGES: 'fr-FR,de-DE' } })
  const page = await desktop.page(/^data:/)
  await expect(page.getByRole('heading')).toHaveText('Deskforge konnte nicht starten')
  await expect(page.getByRole('alert')).toContainText('kann nicht geschrieben werden: eine Datei ist im Weg.')
  await expect(page.getByRole('link', { name: 'Noch einmal versuchen' })).toBeVisible()
})
