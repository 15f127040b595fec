import { readFileSync } from 'node:fs'
import type { Locator } from '@playwright/test'

import { App } from './pages/app.ts'
import { replaceText } from './pages/editor.ts'
import { expect, test } from './support/instance.ts'

test('a world is checked, corrected and applied, and its project opens', async ({ view, instance }) => {
  test.slow()
  const app = new App(view, instance)
  await app.enter('/-/workbench/worlds')
  const editor = view.getByRole('textbox', { name: /^Text of the world/ })
  await expect(view.getByRole('button', { name: 'Apply' })).toBeDisabled()
  await replaceText(editor, 'users:\n  - usernam: anna\n')
  await view.getByRole('button', { name: 'Check' }).click()
  await expect(view.getByRole('list', { name: 'Problems' })).toContainText(
    '2:5 The key "usernam" is unknown here; did you mean "username"',
  )
  await expect(view.locator('.cm-lintRange-error').first()).toBeVisible()

  await view.getByLabel('Examples').selectOption('A small team')
  await expect(editor).toContainText('title: A small team')
  await expect(view.getByRole('list', { name: 'Problems' })).toHaveCount(0)
  await view.getByRole('button', { name: 'Check' }).click()
  await expect(view.getByText('The world is valid')).toBeVisible()
  await view.getByRole('button', { name: 'Apply' }).click()
  await expect(view.getByText('World applied')).toBeVisible()
  await expect(view.getByRole('list', { name: 'Contents' })).toContainText(
    'Merge requests 3 created, 0 already there',
  )

  const [saved] = await Promise.all([
    view.waitForEvent('download'),
    view.getByRole('button', { name: 'Save this instance' }).click(),
  ])
  expect(saved.suggestedFilename()).toMatch(/\.yaml$/)
  expect(readFileSync(await saved.path(), 'utf8')).toContain('path: lantern/shop')

  await app.open('/lantern/shop')
  await expect(app.heading(/shop/i)).toBeVisible()
})

/** Drops a file on an element, with the events of a browser. */
async function drop(target: Locator, name: string, text: string): Promise<void> {
  const data = await target.page().evaluateHandle(
    ([file, content]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([content!], file!))
      return transfer
    },
    [name, text],
  )
  for (const type of ['dragenter', 'dragover', 'drop'])
    await target.dispatchEvent(type, { dataTransfer: data })
}

test('a world file that is dropped on the window is opened, checked and applied', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  await app.enter('/projects')
  await expect(app.heading('Projects')).toBeVisible()
  await drop(view.getByRole('main'), 'notes.txt', 'not a world')
  await expect(app.heading('Projects')).toBeVisible()

  await drop(view.getByRole('main'), 'team.yml', 'groups:\n  - path: dropped\n')
  await expect(app.heading('Worlds')).toBeVisible()
  await expect(view).toHaveURL(/\/-\/workbench\/worlds$/)
  await expect(view.getByText('The world is valid')).toBeVisible()
  const editor = view.getByRole('textbox', { name: /^Text of the world/ })
  await expect(editor).toContainText('path: dropped')

  // A file that is dropped on the editor replaces its text.
  await drop(editor, 'wrong.yaml', 'groups:\n  - pth: second\n')
  await expect(view.getByRole('list', { name: 'Problems' })).toContainText(
    '2:5 The key "pth" is unknown here; did you mean "path"',
  )
  await expect(editor).not.toContainText('dropped')

  await drop(view.getByRole('heading', { name: 'Worlds' }), 'mended.yaml', 'groups:\n  - path: second\n')
  await expect(view.getByText('The world is valid')).toBeVisible()
  await expect(editor).toHaveText(/groups:.*path: second/)
  await view.getByRole('button', { name: 'Apply' }).click()
  await expect(view.getByText('World applied')).toBeVisible()
  await app.open('/groups/second')
  await expect(app.heading('second')).toBeVisible()
})

test('a dropped binary file is refused at its position', async ({ view, instance }) => {
  const app = new App(view, instance)
  await app.enter('/-/workbench/worlds')
  const editor = view.getByRole('textbox', { name: /^Text of the world/ })
  await expect(editor).toBeVisible()
  await drop(editor, 'picture.yaml', 'PNG\u0001')
  await expect(view.getByRole('list', { name: 'Problems' })).toContainText('1:4 This is not text')
  await expect(view.getByRole('button', { name: 'Apply' })).toBeEnabled()
})
